import { comparable, isBroken, isTrue } from "./expressions.js";
import { HttpError } from "./http.js";
import { relatedIn } from "./references.js";

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
}

function refuseTaken({ resource, records }, record, known) {
  for (const [name, { unique }] of Object.entries(resource.fields)) {
    const value = record[name];
    if (!unique || value === undefined || value === null) continue;
    if (!records.all().some((other) => other.id !== known?.id && isSame(other[name], value))) continue;
    const problem = "is taken: choose another";
    throw new HttpError(409, "conflict", `There is a ${resource.title} with this ${name} already: choose another.`, {
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
function others({ records, record, known, related }, within, when) {
  return records
    .all()
    .filter(
      (other) =>
        other.id !== known?.id &&
        within.every((name) => isSame(other[name], record[name])) &&
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

function isSame(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null) || String(a) === String(b);
}

function isBefore(a, b) {
  const [x, y] = comparable(a, b);
  return x < y;
}
