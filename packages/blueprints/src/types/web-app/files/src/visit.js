import { maySee } from "./access.js";
import { basketIn } from "./basket.js";
import { cookieIn } from "./cookies.js";
import { isAllowed } from "./page-access.js";
import { filled, nameOf } from "./show-value.js";

/** More than these would be no choice for people any more. */
const maxChoices = 500;

/** A visit to a page: who visits it, and what every page asks about that. */
export function visitOf({ model, store }, { actor, headers = {} } = {}, path = "") {
  const { site } = model;
  const visit = {
    site,
    store,
    actor,
    path,
    // Even one that is over: a form must fit what the browser sends with it.
    session: cookieIn(headers, "session"),
    account: actor?.account && { name: actor.account[model.auth.accounts.name_field] },
    basketCount: basketIn(headers).reduce((count, { quantity }) => count + quantity, 0),
  };
  const resourceOf = (name) => model.resources.find((resource) => resource.name === name);
  const titleFieldOf = (name) => site.title_fields[name] ?? "id";
  /** The page of a kind about a resource: one of the same area, if there is one that the visitor may open. */
  const pageOf = (kind, resource, area) => {
    const open = model.pages.filter(
      (page) => page.kind === kind && page.resource === resource && isAllowed(visit, page.access),
    );
    return open.find((page) => page.area === area) ?? open[0];
  };
  return Object.assign(visit, {
    pageOf,
    pageAt: (pattern) => model.pages.find(({ path }) => shapeOf(path) === shapeOf(pattern)),
    resourceOf,
    /** What a reference is shown as, and where it leads. */
    referenced: (name, id, area) => {
      const resource = resourceOf(name);
      const record = store.collection(name).get(id);
      if (record === undefined || !maySee(resource, actor, record)) return { name: String(id) };
      const page = resource.parent === undefined ? pageOf("detail", name, area) : undefined;
      return { name: nameOf(record, resource, titleFieldOf(name)), path: page && filled(page.path, { id: record.id }) };
    },
    /** The records that can be chosen, by id and name; undefined where there are too many. */
    choicesOf: (name) => {
      const resource = resourceOf(name);
      const records = store
        .collection(name)
        .all()
        .filter((record) => maySee(resource, actor, record));
      if (records.length > maxChoices) return undefined;
      return records.map((record) => [String(record.id), nameOf(record, resource, titleFieldOf(name))]);
    },
  });
}

/** The same for paths that differ in the names of their ids only. */
function shapeOf(path) {
  return path.replace(/\?.*$/, "").replace(/\{\w+\}/g, "{}");
}
