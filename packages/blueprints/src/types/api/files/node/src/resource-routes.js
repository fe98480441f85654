import { refuseUnless } from "./access.js";
import { readObject } from "./http.js";
import {
  accept,
  actOn,
  changeRecord,
  createRecord,
  findRecord,
  listRecords,
  removeRecord,
  sealed,
  shown,
} from "./records.js";
import { refuseBroken } from "./rules.js";
import { defaultOf } from "./validate.js";
import { withArticle } from "./with-article.js";

/** The routes of a resource: its collection, its records, and what can be done to them. */
export function resourceRoutes({ model, store }, resource) {
  const context = { model, store, resource, records: store.collection(resource.name) };
  const { methods, path, list_key: listKey } = resource;
  const answered = (routes) =>
    methods === undefined ? routes : routes.filter(({ method }) => methods.includes(method));
  if (resource.is_single) return answered(singleRoutes(context));
  const item = `${path}/{id}`;
  const one = (record) => ({ body: shown(resource, record) });
  const list = (call) => {
    const { items, ...page } = listRecords(context, call);
    return { body: { [listKey]: items.map((record) => shown(resource, record)), ...page } };
  };
  const create = async (call) => {
    refuseUnless(resource.access.create, call.actor, { resource, what: `add ${withArticle(resource.title)}` });
    const record = await createRecord(context, call);
    const place = `${filled(path, call.parameters)}/${record.id}`;
    return { status: 201, ...one(record), headers: { location: place } };
  };
  const change = (isPartial) => async (call) => one(await changeRecord(context, call, { isPartial }));
  const routes = [
    { method: "GET", path, handle: list },
    { method: "POST", path, readBody: readObject, handle: create },
    { method: "GET", path: item, handle: (call) => one(findRecord(context, call)) },
    { method: "PUT", path: item, readBody: readObject, handle: change(false) },
    { method: "PATCH", path: item, readBody: readObject, handle: change(true) },
    {
      method: "DELETE",
      path: item,
      handle: async (call) => {
        await removeRecord(context, call);
        return { status: 204 };
      },
    },
  ];
  const actions = Object.keys(resource.actions).map((name) => ({
    method: "POST",
    path: `${item}/${name}`,
    readBody: readObject,
    handle: async (call) => one(await actOn(context, call, name)),
  }));
  return [...answered(routes), ...actions];
}

/** What there is one of: it is always there, and is never deleted. */
function singleRoutes(context) {
  const { resource, records, store } = context;
  const { access, path } = resource;
  const current = () => records.get("1") ?? { id: 1, ...defaultsOf(resource) };
  const read = ({ actor }) => {
    refuseUnless(access.read, actor, { resource, what: `read the ${resource.title}` });
    return { body: shown(resource, current()) };
  };
  const save =
    (isPartial) =>
    async ({ body, actor }) => {
      refuseUnless(access.change, actor, { resource, what: `change the ${resource.title}` });
      const values = await sealed(resource, accept(resource, body, { isPartial }));
      const record = await store.change(() => {
        const kept = isPartial ? current() : { id: 1 };
        const next = { ...kept, ...values, updated_at: new Date().toISOString() };
        refuseBroken(context, next, current());
        return records.replace(next);
      });
      return { body: shown(resource, record) };
    };
  return [
    { method: "GET", path, handle: read },
    { method: "PUT", path, readBody: readObject, handle: save(false) },
    { method: "PATCH", path, readBody: readObject, handle: save(true) },
  ];
}

function defaultsOf({ fields }) {
  const values = Object.entries(fields).map(([name, field]) => [name, defaultOf(field)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function filled(path, parameters) {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name]));
}
