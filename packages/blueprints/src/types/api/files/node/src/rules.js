import { comparable, isBroken, isTrue } from "./expressions.js";
import { HttpError } from "./http.js";
import { referencesOf, relatedIn } from "./references.js";
import { withArticle } from "./with-article.js";

/**
 * Refuses a record that breaks a rule of its resource. Must be called in the change that stores it: whoever came in
 * between counts. `known` is the record as it was before.
 */
export function refuseBroken(context, record, known) {
  const { resource } = context;
  refuseTaken(context, record, known);
  const related = relatedIn(context);
  for (const rule of resource.rules) {
    if (!isTrue(rule.when, record, related)) continue;
    const field = breaks[rule.kind](rule, { ...context, related, record, known });
    if (field !== undefined) throw refusalOf(rule, resource, field);
  }
  if (known !== undefined) refuseBrokenElsewhere(context, record, known);
}

/** Refuses a change after which a record that leads to this one breaks a rule that it kept to before. */
function refuseBrokenElsewhere(context, record, known) {
  const { model, store, resource } = context;
  for (const other of model.resources) {
    const fields = referencesOf(other)
      .filter(({ to }) => to === resource.name)
      .map(({ field }) => field);
    const rules = other.rules.filter(({ check, when }) => [check, when].some((part) => leadsBy(part, fields)));
    if (rules.length === 0) continue;
    const records = store.collection(other.name);
    const stored = relatedIn({ store, resource: other });
    const as = (here) => (field, holder) => {
      const found = stored(field, holder);
      return fields.includes(field) && String(found?.id) === String(record.id) ? here : found;
    };
    const isBrokenBy = (rule, holder, here) => {
      const related = as(here);
      const setting = { ...context, resource: other, records, related, record: holder, known: holder };
      return isTrue(rule.when, holder, related) && breaks[rule.kind](rule, setting) !== undefined;
    };
    for (const holder of records.all().filter((one) => fields.some((name) => isSame(one[name], record.id))))
      for (const rule of rules)
        if (isBrokenBy(rule, holder, record) && !isBrokenBy(rule, holder, known))
          throw new HttpError(409, "conflict", `The ${other.title} ${holder.id} would break a rule: ${rule.message.replace(/\.$/, "")}.`);
  }
}

/** Whether an expression looks at what one of these references leads to. */
function leadsBy(expression, fields) {
  if (expression === undefined || expression === null || typeof expression !== "object") return false;
  if (fields.includes(expression.via)) return true;
  return Object.values(expression).some((part) => leadsBy(part, fields));
}

function refuseTaken({ resource, records }, record, known) {
  for (const [name, field] of Object.entries(resource.fields)) {
    const value = record[name];
    if (!field.unique || value === undefined || value === null) continue;
    if (!records.all().some((other) => other.id !== known?.id && isSameIn(field, other[name], value))) continue;
    const problem = "is taken: choose another";
    throw new HttpError(409, "conflict", `There is ${withArticle(resource.title)} with this ${name} already: choose another.`, {
      fields: { [name]: problem },
    });
  }
}

/** For each kind of rule, the field that breaks it; undefined if none does. */
const breaks = {
  check: ({ check, fields }, { record, related }) =>
    isBroken(check, record, related) ? (fields[0] ?? "id") : undefined,
  required: ({ fields }, { record }) => fields.find((name) => isEmpty(record[name])),
  unique: ({ fields, when }, context) => {
    if (fields.some((name) => isEmpty(context.record[name]))) return undefined;
    return others(context, fields, when).length > 0 ? fields[0] : undefined;
  },
  no_overlap: ({ fields, within = [], when }, context) => {
    const [start, end] = fields;
    const { record } = context;
    if (isEmpty(record[start]) || isEmpty(record[end])) return undefined;
    const overlaps = (other) =>
      !isEmpty(other[start]) &&
      !isEmpty(other[end]) &&
      // One may begin where another ends; a span without length takes up its moment, or its day.
      (isSame(record[start], other[start]) ||
        (isBefore(record[start], other[end]) && isBefore(other[start], record[end])));
    return others(context, within, when).some(overlaps) ? start : undefined;
  },
  max_records: ({ within = [], when, max }, context) =>
    others(context, within, when).length >= max ? (within[0] ?? "id") : undefined,
  moves: ({ fields: [field], moves }, { record, known }) => {
    if (known === undefined || isSame(known[field], record[field])) return undefined;
    const from = String(known[field]);
    if (!Object.hasOwn(moves, from)) return undefined;
    return moves[from].includes(String(record[field])) ? undefined : field;
  },
};

/** The other records that a rule counts: those with the same values, for which its condition is true as well. */
function others({ resource, records, record, known, related }, within, when) {
  return records
    .all()
    .filter(
      (other) =>
        other.id !== known?.id &&
        within.every((name) => isSameIn(resource.fields[name], other[name], record[name])) &&
        isTrue(when, other, related),
    );
}

function refusalOf({ message, status }, resource, field) {
  const code = status === 409 ? "conflict" : "invalid";
  const sentence = /[.!?]$/.test(message) ? message : `${resource.title}: ${field} ${message}.`;
  return new HttpError(status, code, sentence, { fields: { [field]: message } });
}

function isEmpty(value) {
  return value === undefined || value === null || value === "";
}

/** Nobody has two addresses that differ in capitals only. */
export function isSameIn(field, a, b) {
  const isAddress = field?.type === "email" && typeof a === "string" && typeof b === "string";
  return isAddress ? a.toLowerCase() === b.toLowerCase() : isSame(a, b);
}

function isSame(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null) || String(a) === String(b);
}

function isBefore(a, b) {
  const [x, y] = comparable(a, b);
  return x < y;
}
