const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * The value of an expression of the model for a record. What is empty makes what is calculated from it unknown
 * (undefined); `==` and `!=` compare it. `related` finds what a reference of the record leads to.
 */
export function evaluate(expression, record, related, now = new Date()) {
  const value = (part) => evaluate(part, record, related, now);
  if ("value" in expression) return expression.value;
  if ("clock" in expression) return expression.clock === "now" ? now.toISOString() : now.toISOString().slice(0, 10);
  if ("field" in expression) {
    const from = expression.via === undefined ? record : related(expression.via, record);
    return from?.[expression.field] ?? null;
  }
  const { op, left, right, given } = expression;
  if (op === "if") return value(given[value(given[0]) === true ? 1 : 2]);
  if (given !== undefined) return called(op, given.map(value));
  if (op === "not") return negated(value(right));
  if (op === "and" || op === "or") return joined(op, value(left), value(right));
  return calculated(op, value(left), value(right));
}

/** Whether the expression is false: what is unknown breaks no rule. */
export function isBroken(expression, record, related, now) {
  return evaluate(expression, record, related, now) === false;
}

/** Whether the expression is true: what is unknown is no reason. */
export function isTrue(expression, record, related, now) {
  return expression === undefined || evaluate(expression, record, related, now) === true;
}

function negated(value) {
  return typeof value === "boolean" ? !value : undefined;
}

function joined(op, a, b) {
  const decisive = op === "or";
  if (a === decisive || b === decisive) return decisive;
  return typeof a === "boolean" && typeof b === "boolean" ? !decisive : undefined;
}

function calculated(op, a, b) {
  const [x, y] = comparable(a, b);
  if (op === "==") return x === y;
  if (op === "!=") return x !== y;
  if (x === null || y === null || x === undefined || y === undefined) return undefined;
  switch (op) {
    case "<":
      return x < y;
    case "<=":
      return x <= y;
    case ">":
      return x > y;
    case ">=":
      return x >= y;
    default:
      return arithmetic(op, a, b);
  }
}

/** Days and moments are compared as points in time, however they are written. */
export function comparable(a, b) {
  const times = [timeOf(a), timeOf(b)];
  return times.every((time) => time !== undefined) ? times : [a, b];
}

/** A moment without a zone is in UTC; undefined if the value is neither a day nor a moment. */
export function timeOf(value) {
  const [, day, clock = "", zone = "Z"] = (typeof value === "string" && momentForm.exec(value)) || [];
  if (day === undefined) return undefined;
  const start = Date.parse(day);
  // A day that no calendar has, such as the 30th of February, would be taken for one of the next month.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) return undefined;
  const time = clock === "" ? start : Date.parse(`${day}${clock}${zone}`);
  return Number.isNaN(time) ? undefined : time;
}

const momentForm =
  /^(\d{4}-\d\d-\d\d)(?:(T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** What a function gives; unknown where something is empty or has no answer. */
function called(op, given) {
  if (given.some((value) => value === null || value === undefined)) return undefined;
  const result = functions[op](...given);
  return Number.isNaN(result) || Math.abs(result) === Infinity ? undefined : result;
}

const functions = {
  power: (a, b) => a ** b,
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  round: (value, decimals = 0) => {
    const factor = 10 ** decimals;
    return (Math.sign(value) * Math.round(Math.abs(value) * factor * (1 + Number.EPSILON))) / factor + 0;
  },
  smaller: Math.min,
  larger: Math.max,
  length: (text) => [...String(text)].length,
  lower: (text) => String(text).toLowerCase(),
  upper: (text) => String(text).toUpperCase(),
  trim: (text) => String(text).trim(),
  contains: (text, part) => String(text).includes(part),
  starts_with: (text, part) => String(text).startsWith(part),
  ends_with: (text, part) => String(text).endsWith(part),
  days_between: (from, to) => Math.round((dayTime(to) - dayTime(from)) / dayMs),
  add_days: addDays,
  year: (day) => new Date(dayTime(day)).getUTCFullYear(),
  month: (day) => new Date(dayTime(day)).getUTCMonth() + 1,
  // From 1 for Monday to 7 for Sunday.
  weekday: (day) => new Date(dayTime(day)).getUTCDay() || 7,
};

function dayTime(day) {
  return Date.parse(String(day).slice(0, 10));
}

function addDays(day, days) {
  const moved = new Date(dayTime(day) + Math.round(days) * dayMs);
  const text = Number.isNaN(moved.getTime()) ? "" : moved.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : undefined;
}

/** Two days are as many days apart, two moments as many hours; a day and a number are a day. */
function arithmetic(op, a, b) {
  const [from, to] = [timeOf(b), timeOf(a)];
  if (op === "-" && from !== undefined && to !== undefined)
    return (to - from) / (a.length === 10 && b.length === 10 ? dayMs : hourMs);
  if (to !== undefined && typeof b === "number") return addDays(a, op === "-" ? -b : b);
  if (op === "+" && (typeof a === "string" || typeof b === "string")) return `${a}${b}`;
  if (typeof a !== "number" || typeof b !== "number") return undefined;
  if (op === "+") return a + b;
  if (op === "-") return a - b;
  if (op === "*") return a * b;
  if (op === "power") return called("power", [a, b]);
  if (b === 0) return undefined;
  // What a division leaves has the sign of the divisor.
  return op === "%" ? ((a % b) + b) % b : a / b;
}
