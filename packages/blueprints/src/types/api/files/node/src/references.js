import { HttpError } from "./http.js";
import { withArticle } from "./with-article.js";

/** The fields of a resource that lead to other records, with that of what it is below. */
export function referencesOf({ fields, parent }) {
  const own = Object.entries(fields)
    .filter(([, { type, to }]) => type === "reference" && to !== undefined)
    .map(([field, { to, on_delete: onDelete }]) => ({ field, to, onDelete }));
  if (parent === undefined) return own;
  return [...own, { field: parent.field, to: parent.resource, onDelete: parent.on_delete }];
}

/** Finds what a reference of a record leads to. */
export function relatedIn({ store, resource }) {
  const targets = new Map(referencesOf(resource).map(({ field, to }) => [field, to]));
  return (field, record) => {
    const to = targets.get(field);
    const id = record[field];
    return to === undefined || id === undefined || id === null ? undefined : store.collection(to).get(id);
  };
}

/** Refuses references that lead nowhere; answers the values with the ids as they are stored. */
export function withReferences({ model, store, resource }, values) {
  const wrong = [];
  const found = { ...values };
  for (const { field, to } of referencesOf(resource)) {
    const id = values[field];
    if (id === undefined || id === null) continue;
    const target = typeof id === "object" ? undefined : store.collection(to).get(id);
    if (target === undefined) wrong.push([field, titleOf(model, to), id]);
    else found[field] = target.id;
  }
  if (wrong.length > 0) throw leadsNowhere(wrong);
  return found;
}

/** The refusal of references that lead to nothing that is there for whoever sent them: field, title and id of each. */
export function leadsNowhere(wrong) {
  const problems = wrong.map(([field, title, id]) => [
    field,
    `must be the id of ${withArticle(title)} that exists: there is no ${show(id)}`,
  ]);
  const message = problems.map((problem) => problem.join(" ")).join("; ");
  return new HttpError(422, "invalid", `${message}.`, { fields: Object.fromEntries(problems) });
}

/** Before a record is deleted: what leads to it holds it back, goes with it, or lets go of it, as the model says. */
export function release(context, resource, record) {
  for (const child of context.model.resources)
    for (const reference of referencesOf(child))
      if (reference.to === resource.name) releaseBy(context, child, reference, resource, record);
}

function releaseBy(context, child, { field, onDelete }, resource, record) {
  const collection = context.store.collection(child.name);
  const holders = collection.all().filter((other) => String(other[field] ?? "") === String(record.id));
  if (holders.length === 0) return;
  if (onDelete === "restrict") {
    const remedy = `delete ${holders.length === 1 ? "it" : "them"} first, or change ${field}`;
    throw new HttpError(
      409,
      "conflict",
      `The ${resource.title} ${record.id} is still used by ${count(holders, child)}: ${remedy}.`,
    );
  }
  for (const holder of holders) {
    // A record may lead to itself, or may be gone by way of another one.
    if (collection.get(holder.id) === undefined) continue;
    if (onDelete === "set_null") collection.replace({ ...holder, [field]: null, updated_at: new Date().toISOString() });
    else {
      collection.remove(holder.id);
      release(context, child, holder);
    }
  }
}

function count(holders, { title }) {
  const ids = holders.slice(0, 3).map(({ id }) => id);
  const more = holders.length > 3 ? " and others" : "";
  return `the ${title} ${ids.join(", ")}${more}`;
}

function titleOf(model, name) {
  return model.resources.find((resource) => resource.name === name)?.title ?? name;
}

function show(id) {
  return typeof id === "object" ? JSON.stringify(id) : String(id);
}
