import { comparable, timeOf } from "./expressions.js";

const isText = (value) => typeof value === "string";
const isDay = (value) => isText(value) && value.length === 10 && timeOf(value) !== undefined;

/** What a value of each type must be, and how that is said. */
const types = {
  string: [isText, "must be a text"],
  text: [isText, "must be a text"],
  password: [isText, "must be a text"],
  integer: [Number.isSafeInteger, "must be a whole number"],
  number: [Number.isFinite, "must be a number"],
  boolean: [(value) => typeof value === "boolean", "must be true or false"],
  date: [isDay, "must be a date such as 2030-05-04"],
  datetime: [
    (value) => isText(value) && value.length > 10 && timeOf(value) !== undefined,
    "must be a time such as 2030-05-04T10:00:00Z",
  ],
  email: [(value) => isText(value) && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value), "must be an e-mail address"],
  url: [(value) => isText(value) && URL.canParse(value) && /^https?:/i.test(value), "must be a web address"],
  time: [
    (value) => isText(value) && /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(value),
    "must be a time such as 09:30",
  ],
  // Whether it leads somewhere is checked when the record is stored.
  reference: [(value) => isText(value) || Number.isSafeInteger(value), "must be an id"],
  list: [Array.isArray, "must be a list"],
  object: [(value) => typeof value === "object" && value !== null && !Array.isArray(value), "must be an object"],
  any: [() => true, ""],
};

/**
 * Checks what a caller sent against the fields of a resource. With `isPartial` only what is there is checked, as for a
 * PATCH; otherwise what is missing gets its default. Answers the clean values and every problem, by field.
 */
export function validate({ fields }, input, { isPartial = false } = {}) {
  const values = {};
  const problems = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = Object.hasOwn(input, name) ? input[name] : undefined;
    // The owner and computed values are the service's, and a role stays what it is unless it is given.
    if (field.is_owner || field.computed || (given === undefined && (isPartial || field.is_role))) continue;
    const value = given === undefined ? defaultOf(field) : given;
    // An empty text in a field that may be left out is how forms and clients clear it.
    if (value === undefined || value === null || (value === "" && !field.required)) {
      if (field.required) problems[name] = isRequired;
      else values[name] = null;
      continue;
    }
    const problem = problemOf(field, value);
    if (problem === undefined) values[name] = value;
    else problems[name] = problem;
  }
  for (const name of Object.keys(input)) {
    if (Object.hasOwn(fields, name) || reserved.has(name) || name === "__proto__") continue;
    problems[name] = `is not known: there is ${Object.keys(fields).join(", ")}`;
  }
  return { values, problems };
}

const isRequired = "is required";

/** `today` and `now` are the day and the moment at which a record is made. */
export function defaultOf({ type, default: fallback }, now = new Date()) {
  if (type === "date" && fallback === "today") return now.toISOString().slice(0, 10);
  if (type === "datetime" && (fallback === "now" || fallback === "today")) return now.toISOString();
  return fallback;
}

/** Set by the service; a client may send back what it read. */
const reserved = new Set(["id", "created_at", "updated_at"]);

/** Why the value does not fit the field; nothing if it does. */
function problemOf(field, value) {
  if (field.type === "enum")
    return field.values.includes(value) ? undefined : `must be one of ${field.values.join(", ")}`;
  const [fits, message] = types[field.type];
  if (!fits(value)) return message;
  if (["date", "datetime", "time"].includes(field.type)) return problemOfTime(field, value);
  if (typeof value === "string") return problemOfText(field, value);
  if (typeof value === "number") return problemOfNumber(field, value);
  if (Array.isArray(value)) return problemOfList(field, value);
  return undefined;
}

function problemOfText({ required, min_length, max_length, pattern }, value) {
  const { length } = [...value];
  if (required && value.trim() === "") return isRequired;
  if (min_length !== undefined && length < min_length) return `must have ${min_length} characters at least`;
  if (max_length !== undefined && length > max_length) return `must have ${max_length} characters at most`;
  if (pattern !== undefined && !new RegExp(pattern, "u").test(value)) return `must match ${pattern}`;
  return undefined;
}

function problemOfTime({ min, max }, value) {
  const now = new Date().toISOString();
  const point = (limit) => ({ now, today: now.slice(0, 10) })[limit] ?? limit;
  const isBefore = (a, b) => {
    const [x, y] = comparable(a, b);
    return x < y;
  };
  if (min !== undefined && isBefore(value, point(min))) return `must be ${min} or later`;
  if (max !== undefined && isBefore(point(max), value)) return `must be ${max} or earlier`;
  return undefined;
}

function problemOfNumber({ min, max }, value) {
  if (min !== undefined && value < min) return `must be ${min} or more`;
  if (max !== undefined && value > max) return `must be ${max} or less`;
  return undefined;
}

function problemOfList({ of = { type: "any" }, min_length, max_length }, value) {
  if (min_length !== undefined && value.length < min_length) return `must have ${min_length} entries at least`;
  if (max_length !== undefined && value.length > max_length) return `must have ${max_length} entries at most`;
  for (const [index, entry] of value.entries()) {
    const problem = problemOf(of, entry);
    if (problem !== undefined) return `entry ${index + 1} ${problem}`;
  }
  return undefined;
}
