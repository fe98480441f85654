import { holds } from "./compute.js";
import { isDay, resolve } from "./dates.js";

/** A new record with its defaults. */
export function blank(entity, today) {
  return Object.fromEntries(entity.fields.map(({ name, initial }) => [name, resolve(initial ?? null, today)]));
}

/**
 * What is wrong with a record, by field; what breaks a rule is under the first field of the rule.
 *
 * @param {{ model: object, today: string, all: (entity: string) => object[] }} around the records that are kept
 */
export function problemsWith(entity, record, around) {
  const problems = {};
  for (const field of entity.fields) {
    const problem = problemWith(field, record[field.name] ?? null, around.today) ?? problemAmong(entity, field, record, around);
    if (problem !== undefined) problems[field.name] = problem;
  }
  if (Object.keys(problems).length > 0) return problems;
  for (const rule of entity.rules) {
    const counts = rule.when === undefined || holds(rule.when, entity, record, around);
    if (counts && !keeps(rule, entity, record, around)) problems[rule.field] ??= rule.message;
  }
  return problems;
}

function keeps({ check, unique }, entity, record, around) {
  if (check !== undefined && !holds(check, entity, record, around)) return false;
  if (unique === undefined || unique.some((name) => (record[name] ?? null) === null)) return true;
  return !around.all(entity.name).some((other) => other.id !== record.id && unique.every((name) => other[name] === record[name]));
}

const kinds = { integer: "number", number: "number", boolean: "boolean", reference: "number" };
const forms = {
  date: [isDay, "must be a day such as 2026-03-01"],
  datetime: [(text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) && !Number.isNaN(Date.parse(text)), "must be a day and a time"],
  time: [(text) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text), "must be a time such as 09:30"],
  email: [(text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), "must be an e-mail address"],
  url: [(text) => URL.canParse(text) && /^https?:/i.test(text), "must be an address such as https://example.org"],
};

function problemWith(field, value, today) {
  const { type, required, minLength, maxLength, values, pattern } = field;
  if (value === null || (required && typeof value === "string" && value.trim() === "")) return required ? "is required" : undefined;
  const kind = kinds[type] ?? "string";
  if (typeof value !== kind) return `must be a ${kind === "string" ? "text" : kind}`;
  if (kind === "number" && !Number.isFinite(value)) return "must be a number";
  if (type === "enum" && !values.includes(value)) return `must be one of ${values.join(", ")}`;
  if (Object.hasOwn(forms, type) && !forms[type][0](value)) return forms[type][1];
  if ((type === "integer" || type === "reference") && !Number.isInteger(value)) return "must be a whole number";
  const [min, max] = [resolve(field.min, today), resolve(field.max, today)];
  if (min !== undefined && value < min) return `must be at least ${min}`;
  if (max !== undefined && value > max) return `must be at most ${max}`;
  if (minLength !== undefined && value.length < minLength) return `must have at least ${minLength} characters`;
  if (maxLength !== undefined && value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern !== undefined && !new RegExp(pattern, "u").test(value)) return "does not have the right form";
  return undefined;
}

/** What is wrong with a value because of the other records. */
function problemAmong(entity, { name, type, to, unique }, record, { all }) {
  const value = record[name] ?? null;
  if (value === null) return undefined;
  if (type === "reference" && !all(to).some(({ id }) => id === value)) return `must be a ${to} that is there`;
  if (unique && all(entity.name).some((other) => other.id !== record.id && other[name] === value)) return "is taken already";
  return undefined;
}

/** What a form or a file holds, by the kinds of its fields: numbers are numbers, and what is empty is nothing. */
export function readTexts(fields, entered) {
  return Object.fromEntries(fields.map((field) => [field.name, readText(field, entered[field.name])]));
}

function readText({ type }, entered) {
  if (type === "boolean") return entered === true || ["true", "on", "yes", "1"].includes(String(entered).toLowerCase());
  const text = String(entered ?? "");
  if (text.trim() === "") return null;
  return kinds[type] === "number" ? Number(text) : type === "text" ? text : text.trim();
}

/**
 * What else goes or changes when a record is deleted, or why it cannot be deleted.
 *
 * @returns {{ problem?: string, removed: { entity: string, id: number }[], emptied: { entity: string, id: number, field: string }[] }}
 */
export function removalOf(name, id, { model, all }, found = { removed: [], emptied: [] }) {
  if (found.removed.some((one) => one.entity === name && one.id === id)) return found;
  found.removed.push({ entity: name, id });
  for (const other of model.entities) {
    for (const field of other.fields.filter(({ type, to }) => type === "reference" && to === name)) {
      for (const record of all(other.name).filter((one) => one[field.name] === id)) {
        if (field.onDelete === "cascade") removalOf(other.name, record.id, { model, all }, found);
        else if (field.onDelete === "set_null") found.emptied.push({ entity: other.name, id: record.id, field: field.name });
        else found.problem ??= `A ${other.name} refers to it.`;
      }
    }
  }
  return found;
}
