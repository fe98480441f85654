import { addDays, isDay, resolve } from "./dates.js";

/** A new record with its defaults. */
export function blank(entity, today) {
  return Object.fromEntries(entity.fields.map(({ name, initial }) => [name, resolve(initial, today)]));
}

/**
 * What somebody entered, as a record, and what is wrong with it by field. Fields that were not entered keep what they
 * had.
 */
export function check(entity, entered, before) {
  const record = { ...before };
  const errors = {};
  for (const field of entity.fields) {
    if (!Object.hasOwn(entered, field.name)) continue;
    const value = read(field, entered[field.name]);
    record[field.name] = value;
    const error = problemWith(field, value);
    if (error !== undefined) errors[field.name] = error;
  }
  return { record, errors };
}

function read({ type }, entered) {
  if (type === "boolean") return entered === true || entered === "true" || entered === "on";
  const text = String(entered ?? "").trim();
  if (text === "") return null;
  return type === "integer" || type === "number" ? Number(text) : text;
}

function problemWith({ label, type, required, maxLength, min, max, values }, value) {
  if (value === null) return required ? `${label} is needed.` : undefined;
  if (type === "date") return isDay(value) ? undefined : `${label} must be a day.`;
  if (type === "enum") return values.includes(value) ? undefined : `${label} must be one of ${values.join(", ")}.`;
  if (type === "integer" && !Number.isInteger(value)) return `${label} must be a whole number.`;
  if (type === "number" && !Number.isFinite(value)) return `${label} must be a number.`;
  if (min !== null && value < min) return `${label} must be at least ${min}.`;
  if (max !== null && value > max) return `${label} must be at most ${max}.`;
  if (maxLength !== null && value.length > maxLength) return `${label} must have at most ${maxLength} characters.`;
  return undefined;
}

/** The record with what follows from it and from the day. */
export function withDerived(entity, record, today) {
  const whole = { ...record };
  for (const { name, from, plusDays, conditions } of entity.derived) {
    whole[name] =
      conditions === null
        ? plus(whole[from], typeof plusDays === "string" ? whole[plusDays] : plusDays)
        : conditions.every((condition) => holds(condition, whole, today));
  }
  return whole;
}

function plus(day, count) {
  return day === null || day === undefined ? null : addDays(day, count ?? 0);
}

function holds({ field, atMost, atLeast, equals, orEmpty }, record, today) {
  const value = record[field] ?? null;
  if (value === null) return orEmpty;
  if (atMost !== null) return value <= resolve(atMost, today);
  if (atLeast !== null) return value >= resolve(atLeast, today);
  return value === resolve(equals, today);
}

/** The records that a screen lists, in its order. */
export function select(entity, records, { where, orderBy }, today) {
  const matching = records
    .map((record) => withDerived(entity, record, today))
    .filter((record) => Object.entries(where).every(([name, value]) => record[name] === resolve(value, today)));
  if (orderBy === null) return matching;
  const key = (record) => record[orderBy] ?? "";
  return matching.sort((a, b) => compare(key(a), key(b)) || a.id - b.id);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}
