import { fails, holds, looksAround, withComputed } from "./compute.js";
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
    const problem = problemWith(field, record[field.name] ?? null, around.today) ?? problemAmong(field, record, around);
    if (problem !== undefined) problems[field.name] = problem;
  }
  if (Object.keys(problems).length > 0) return problems;
  for (const rule of entity.rules) if (breaks(rule, entity, record, around)) problems[rule.field] ??= rule.message;
  return Object.keys(problems).length > 0 ? problems : conflictsWith(entity, record, around);
}

/** What of a record is right by itself, but taken by another one; by field. */
export function conflictsWith(entity, record, around) {
  const conflicts = {};
  for (const { name } of entity.fields.filter(({ unique }) => unique))
    if (isTaken(entity, [name], record, around)) conflicts[name] = "is taken already";
  for (const rule of entity.rules) {
    const counts = rule.unique !== undefined && isCounted(rule, entity, record, around);
    if (counts && isTaken(entity, rule.unique, record, around)) conflicts[rule.field] ??= rule.message;
  }
  return conflicts;
}

function isTaken(entity, names, record, { all }) {
  if (names.some((name) => (record[name] ?? null) === null)) return false;
  const isSame = (name, a, b) => {
    const isAddress = entity.fields.some((field) => field.name === name && field.type === "email");
    return isAddress ? String(a).toLowerCase() === String(b).toLowerCase() : a === b;
  };
  return all(entity.name).some((other) => other.id !== record.id && names.every((name) => isSame(name, other[name], record[name])));
}

function isCounted({ when }, entity, record, around) {
  return when === undefined || holds(when, entity, record, around);
}

function breaks(rule, entity, record, around) {
  return rule.check !== undefined && isCounted(rule, entity, record, around) && fails(rule.check, entity, record, around);
}

/**
 * The first record that a change of others makes break a rule which it kept to before, in words; undefined if there is none.
 * Sums of lines and fields of what is referred to change without the record itself.
 */
export function brokenBy(before, after) {
  for (const entity of after.model.entities) {
    const rules = entity.rules.filter(({ check, when }) => [check, when].some((formula) => looksAround(formula, entity)));
    if (rules.length === 0) continue;
    const earlier = new Map(before.all(entity.name).map((record) => [record.id, record]));
    for (const record of after.all(entity.name)) {
      const known = earlier.get(record.id);
      const broken = rules.find((rule) => breaks(rule, entity, record, after) && !(known && breaks(rule, entity, known, before)));
      if (broken === undefined) continue;
      const { label = broken.field } = entity.fields.find(({ name }) => name === broken.field) ?? {};
      return `The ${entity.name} ${titled(entity, record, after)} would break a rule: ${label} ${broken.message}.`;
    }
  }
  return undefined;
}

function titled(entity, record, around) {
  return withComputed(entity, record, around)[entity.titleField] ?? record.id;
}

const kinds = { integer: "number", number: "number", boolean: "boolean", reference: "number" };
const forms = {
  date: [isDay, "must be a day such as 2026-03-01"],
  datetime: [(text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)), "must be a day and a time"],
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
function problemAmong({ name, type, to }, record, { all }) {
  const value = record[name] ?? null;
  if (type !== "reference" || value === null || all(to).some(({ id }) => id === value)) return undefined;
  return `must be ${withArticle(to)} that is there`;
}

/** `an invoice`, `a line`. */
function withArticle(name) {
  return `${/^(?!u(?:ser|ni)|eu)[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
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
        else found.problem ??= `${withArticle(other.name).replace("a", "A")} refers to it.`;
      }
    }
  }
  return found;
}
