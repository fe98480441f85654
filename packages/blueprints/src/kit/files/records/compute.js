import { addDays, daysBetween } from "./dates.js";

/**
 * The record with what is computed of it, of what belongs to it, and of the day.
 *
 * @param {{ model: object, today: string, all: (entity: string) => object[] }} around
 */
export function withComputed(entity, record, around) {
  const computed = entity.computed.map(({ name }) => [name, valueOf(name, { entity, record, around })]);
  return { ...record, ...Object.fromEntries(computed) };
}

/** Whether a formula holds of a record: what is unknown, because something is empty, does not. */
export function holds(formula, entity, record, around) {
  return evaluate(formula, { entity, record, around }) === true;
}

/** Whether a formula is false of a record: what is unknown breaks no rule. */
export function fails(formula, entity, record, around) {
  return evaluate(formula, { entity, record, around }) === false;
}

/** The value of a formula over all records. */
export function figure(formula, around) {
  return evaluate(formula, { entity: { fields: [], computed: [] }, record: {}, around });
}

/** Whether a formula looks at other records than the one that it is about. */
export function looksAround(formula, entity) {
  if (!Array.isArray(formula)) return false;
  const [operation, ...rest] = formula;
  if (operation === "of" || Object.hasOwn(aggregates, operation)) return true;
  const computed = operation === "field" ? entity.computed.find(({ name }) => name === rest[0]) : undefined;
  return computed === undefined ? rest.some((part) => looksAround(part, entity)) : looksAround(computed.formula, entity);
}

function valueOf(name, scope) {
  const computed = scope.entity.computed.find((one) => one.name === name);
  if (computed === undefined) return scope.record[name] ?? null;
  const value = evaluate(computed.formula, scope);
  // People are shown yes or no.
  if (computed.type === "boolean") return value === true;
  return computed.decimals === undefined || value === null ? value : rounded(value, computed.decimals);
}

/** A formula is an operation with its arguments. What is empty stays empty, and so does what has no answer. */
function evaluate([operation, ...rest], scope) {
  if (Object.hasOwn(aggregates, operation)) return aggregate(operation, rest, scope);
  if (Object.hasOwn(leaves, operation)) return leaves[operation](rest, scope);
  const values = rest.map((part) => evaluate(part, scope));
  if (Object.hasOwn(logic, operation)) return logic[operation](...values);
  if (values.includes(null)) return null;
  const result = operations[operation](...values);
  return typeof result === "number" && !Number.isFinite(result) ? null : result;
}

const leaves = {
  value: ([value]) => value,
  today: (_, { around }) => around.today,
  field: ([name], scope) => valueOf(name, scope),
  of: ([reference, name], { entity, record, around }) => {
    const { to } = entity.fields.find((field) => field.name === reference);
    const found = around.all(to).find(({ id }) => id === record[reference]);
    return found === undefined ? null : valueOf(name, { entity: entityOf(around, to), record: found, around });
  },
};

/** Null is what is empty, and what is unknown because of it. */
const logic = {
  and: (a, b) => (a === false || b === false ? false : a === null || b === null ? null : true),
  or: (a, b) => (a === true || b === true ? true : a === null || b === null ? null : false),
  empty: (a) => a === null,
  if: (condition, yes, no) => (condition === true ? yes : no),
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

const operations = {
  not: (a) => !a,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "+": (a, b) => (isDate(a) && typeof b === "number" ? addDays(a, b) : a + b),
  "-": (a, b) => {
    if (typeof a === "number") return a - b;
    return typeof b === "number" ? addDays(a, -b) : daysBetween(b, a);
  },
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  // It has the sign of the divisor.
  "%": (a, b) => ((a % b) + b) % b,
  power: (a, b) => a ** b,
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  round: rounded,
  smaller: (a, b) => Math.min(a, b),
  larger: (a, b) => Math.max(a, b),
  length: (text) => [...text].length,
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
  contains: (text, part) => text.includes(part),
  starts_with: (text, part) => text.startsWith(part),
  ends_with: (text, part) => text.endsWith(part),
  days_between: daysBetween,
  add_days: addDays,
  year: (day) => Number(day.slice(0, 4)),
  month: (day) => Number(day.slice(5, 7)),
  // From 1 for Monday to 7 for Sunday.
  weekday: (day) => new Date(`${day}T00:00:00Z`).getUTCDay() || 7,
};

function isDate(value) {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
}

/** Rounded as people do it: a half goes away from zero, and 1.005 is a half. */
function rounded(value, decimals = 0) {
  const factor = 10 ** decimals;
  return (Math.sign(value) * Math.round(Math.abs(value) * factor * (1 + Number.EPSILON))) / factor + 0;
}

const aggregates = {
  count: (values) => values.length,
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  average: (values) => (values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length),
  min: (values) => values.reduce((least, value) => (least === null || value < least ? value : least), null),
  max: (values) => values.reduce((most, value) => (most === null || value > most ? value : most), null),
  streak: (values, today) => streakOf(new Set(values), today),
};

/** Over the records that refer to this one, or over all. */
function aggregate(operation, [name, by, field, where], { record, around }) {
  const entity = entityOf(around, name);
  const values = around
    .all(name)
    .filter((one) => by === null || (record.id !== undefined && one[by] === record.id))
    .filter((one) => where === null || evaluate(where, { entity, record: one, around }) === true)
    .map((one) => (field === null ? true : valueOf(field, { entity, record: one, around })))
    .filter((value) => value !== null);
  return aggregates[operation](values, around.today);
}

/** How many days in a row up to today; a day that is not over yet does not end it. */
function streakOf(days, today) {
  let day = days.has(today) ? today : addDays(today, -1);
  let count = 0;
  while (days.has(day)) {
    count += 1;
    day = addDays(day, -1);
  }
  return count;
}

function entityOf({ model }, name) {
  return model.entities.find((entity) => entity.name === name);
}
