import { HttpError, notFound, readObject } from "./http.js";
import { hashPassword } from "./passwords.js";
import { select } from "./query.js";
import { validate } from "./validate.js";

/** What can be done with a resource, as routes: create, list, read, replace, change, delete. */
export function resourceRoutes({ model, store }, resource) {
  const context = { model, store, resource, records: store.collection(resource.name) };
  if (resource.is_single) return singleRoutes(context);
  const item = `${resource.path}/{id}`;
  const routes = [
    { method: "GET", path: resource.path, handle: (call) => list(context, call) },
    { method: "POST", path: resource.path, readBody: readObject, handle: (call) => create(context, call) },
    { method: "GET", path: item, handle: (call) => read(context, call) },
    { method: "PUT", path: item, readBody: readObject, handle: (call) => change(context, call, { isPartial: false }) },
    { method: "PATCH", path: item, readBody: readObject, handle: (call) => change(context, call, { isPartial: true }) },
    { method: "DELETE", path: item, handle: (call) => remove(context, call) },
    ...Object.entries(resource.actions ?? {}).map(([name, { method, status }]) => ({
      method,
      path: `${item}/${name}`,
      readBody: readObject,
      handle: (call) => act(context, call, { name, status }),
    })),
  ];
  const { only } = resource;
  return only === undefined ? routes : routes.filter(({ method }) => only.includes(method));
}

/** What there is one of: it is always there, and is never deleted. */
function singleRoutes(context) {
  const { resource, records, store } = context;
  const current = () => records.get("1") ?? { id: 1 };
  const save = async ({ body }, { isPartial }) => {
    const values = await sealed(resource, accept(resource, body, { isPartial }));
    const record = await store.change(() => {
      const kept = isPartial ? current() : { id: 1 };
      return records.replace({ ...kept, ...values, updated_at: new Date().toISOString() });
    });
    return { status: resource.statuses.change, body: shown(resource, record) };
  };
  return [
    { method: "GET", path: resource.path, handle: () => ({ body: shown(resource, current()) }) },
    { method: "PUT", path: resource.path, readBody: readObject, handle: (call) => save(call, { isPartial: false }) },
    { method: "PATCH", path: resource.path, readBody: readObject, handle: (call) => save(call, { isPartial: true }) },
  ];
}

function list(context, { parameters, query }) {
  const { resource, records, model } = context;
  const parent = parentOf(context, parameters);
  const own = records
    .all()
    .filter((record) => Object.entries(parent).every(([name, id]) => String(record[name]) === String(id)));
  const { items, ...page } = select(resource, own, query, model);
  return { body: { [resource.list_key]: items.map((record) => shown(resource, record)), ...page } };
}

async function create(context, { parameters, body }) {
  const { resource, records, store } = context;
  const values = await sealed(resource, accept(resource, without(body, parentOf(context, parameters))));
  const record = await store.change(() => {
    const parent = parentOf(context, parameters);
    refuseTaken(context, values);
    const at = new Date().toISOString();
    return records.insert({ ...parent, ...values, created_at: at, updated_at: at });
  });
  const place = `${filled(resource.path, parameters)}/${record.id}`;
  return { status: resource.statuses.create, body: shown(resource, record), headers: { location: place } };
}

function read(context, { parameters }) {
  return { body: shown(context.resource, find(context, parameters)) };
}

async function change(context, { parameters, body }, { isPartial }) {
  const { resource, records, store } = context;
  find(context, parameters);
  const parent = parentOf(context, parameters);
  const values = await sealed(resource, accept(resource, without(body, parent), { isPartial }));
  const record = await store.change(() => {
    const known = find(context, parameters);
    refuseTaken(context, values, known);
    const { id, created_at } = known;
    const kept = isPartial ? known : { id, ...parent, created_at };
    return records.replace({ ...kept, ...values, updated_at: new Date().toISOString() });
  });
  return { status: resource.statuses.change, body: shown(resource, record) };
}

async function remove(context, { parameters }) {
  const { resource, records, store } = context;
  const record = await store.change(() => {
    const found = find(context, parameters);
    records.remove(found.id);
    removeChildren(context, resource, found);
    return found;
  });
  return { status: resource.statuses.remove, body: shown(resource, record) };
}

/** What belongs to a record goes with it. */
function removeChildren(context, resource, record) {
  for (const child of context.model.resources.filter(({ parent }) => parent?.resource === resource.name)) {
    const children = context.store.collection(child.name);
    for (const orphan of children.all().filter((other) => String(other[child.parent.field]) === String(record.id))) {
      children.remove(orphan.id);
      removeChildren(context, child, orphan);
    }
  }
}

/** Something done to a record that is more than a change of its fields: it is kept when it was done. */
async function act(context, { parameters }, { name, status }) {
  const { resource, records, store } = context;
  const record = await store.change(() => {
    const known = find(context, parameters);
    const at = new Date().toISOString();
    return records.replace({ ...known, actions: { ...known.actions, [name]: at }, updated_at: at });
  });
  return { status, body: shown(resource, record) };
}

function find(context, parameters) {
  const { resource, records } = context;
  const { id } = parameters;
  if (resource.statuses.bad_id !== undefined && !/^\d+$/.test(id))
    throw new HttpError(resource.statuses.bad_id, "bad_id", `'${id}' is no id: an id is a whole number.`);
  const parent = parentOf(context, parameters);
  const record = records.get(id);
  const isThere =
    record !== undefined && Object.entries(parent).every(([name, value]) => String(record[name]) === String(value));
  if (!isThere) throw notFound(`The ${resource.title} ${id} was not found.`);
  return record;
}

/** The id of the record that this one belongs to, by the name of its field. It must exist, and so must its own parent. */
function parentOf({ model, store, resource: { parent } }, parameters) {
  if (parent === undefined) return {};
  const value = parameters[parent.field];
  const owner = model.resources.find(({ name }) => name === parent.resource);
  if (owner === undefined) return { [parent.field]: value };
  const record = store.collection(owner.name).get(value);
  const above = parentOf({ model, store, resource: owner }, parameters);
  const isThere =
    record !== undefined && Object.entries(above).every(([name, id]) => String(record[name]) === String(id));
  if (!isThere) throw notFound(`The ${owner.title} ${value} was not found.`);
  return { [parent.field]: record.id };
}

/** The values that may be stored; what is wrong with the others is said, all of it at once. */
function accept(resource, body, options) {
  const { values, problems } = validate(resource, body, options);
  if (Object.keys(problems).length === 0) return values;
  const message = Object.entries(problems)
    .map(([name, problem]) => `${name} ${problem}`)
    .join("; ");
  throw new HttpError(resource.statuses.invalid, "invalid", `${message}.`, { fields: problems });
}

/** Must be called in the change that stores the values: whoever came in between counts. */
function refuseTaken({ resource, records }, values, known) {
  for (const [name, { unique }] of Object.entries(resource.fields)) {
    if (!unique || values[name] === undefined || values[name] === null) continue;
    const isTaken = records.all().some((other) => other.id !== known?.id && other[name] === values[name]);
    if (isTaken) throw new HttpError(409, "conflict", `There is a ${resource.title} with this ${name} already.`);
  }
}

/** To whom a record belongs stands in its path; a body may repeat it. */
function without(body, parent) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(parent, name)));
}

/** Passwords are kept as hashes only. */
async function sealed({ fields }, values) {
  const secrets = Object.keys(values).filter((name) => fields[name]?.type === "password" && values[name] !== null);
  const hashes = await Promise.all(secrets.map(async (name) => [name, await hashPassword(values[name])]));
  return { ...values, ...Object.fromEntries(hashes) };
}

/** A record as callers see it. */
export function shown({ fields }, record) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields[name]?.type !== "password"));
}

function filled(path, parameters) {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name]));
}
