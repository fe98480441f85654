import { fixed, numberText } from "./calculate.js";
import { UsageError } from "./errors.js";

/** Reads a text as a value of a field, or says what is wrong with it. */
export function parseValue(field, text) {
  const value = readAs(field, text.trim(), text);
  if (field.values !== undefined && !field.values.map(String).includes(String(value)))
    throw wrong(field, `must be one of ${field.values.join(", ")}, not '${text}'`);
  if (typeof value === "number") checkRange(field, value);
  if (typeof value === "string") checkLength(field, value);
  return value;
}

/** Shows a value as people write it. */
export function formatValue(field, value) {
  if (value === undefined || value === null) return "";
  if (typeof value === "number")
    return field?.decimals === undefined ? numberText(value) : fixed(value, field.decimals);
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function readAs(field, text, asTyped) {
  switch (field.type) {
    case "integer":
      if (!/^[+-]?\d{1,15}$/.test(text)) throw wrong(field, `must be a whole number, not '${text}'`);
      return Number(text);
    case "number":
    case "decimal":
      return readNumber(field, text);
    case "boolean":
      if (!/^(true|false|yes|no)$/i.test(text)) throw wrong(field, `must be true or false, not '${text}'`);
      return /^(true|yes)$/i.test(text);
    case "date":
      if (!isDate(text)) throw wrong(field, `must be a date such as 2030-01-31, not '${text}'`);
      return text;
    case "datetime":
      if (Number.isNaN(Date.parse(text))) throw wrong(field, `must be a time such as 2030-01-31T09:00Z, not '${text}'`);
      return new Date(text).toISOString();
    default:
      return asTyped;
  }
}

function readNumber(field, text) {
  const parts = /^[+-]?(?:\d{1,15}(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d{1,3}))?$/i.exec(text);
  if (parts === null || !Number.isFinite(Number(text))) throw wrong(field, `must be a number, not '${text}'`);
  const digits = Math.max(0, (parts[1] ?? parts[2] ?? "").length - Number(parts[3] ?? 0));
  if (field.decimals !== undefined && digits > field.decimals)
    throw wrong(field, `may have ${field.decimals} decimals, not '${text}'`);
  return Number(text);
}

function checkRange(field, value) {
  if (field.min !== undefined && value < field.min) throw wrong(field, `must be at least ${field.min}`);
  if (field.max !== undefined && value > field.max) throw wrong(field, `must be at most ${field.max}`);
}

function checkLength(field, value) {
  if (field.required && value.trim() === "") throw wrong(field, "must not be empty");
  const length = [...value].length;
  if (field.min_length !== undefined && length < field.min_length)
    throw wrong(field, `must have at least ${field.min_length} characters`);
  if (field.max_length !== undefined && length > field.max_length)
    throw wrong(field, `may have at most ${field.max_length} characters`);
}

function isDate(text) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function wrong({ name }, what) {
  return new UsageError(`${name} ${what}`);
}
