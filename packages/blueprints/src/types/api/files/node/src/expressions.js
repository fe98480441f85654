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
  const { op, left, right } = expression;
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

function timeOf(value) {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d(?:T.*)?$/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

/** Two days are as many days apart, two moments as many hours. */
function arithmetic(op, a, b) {
  const [from, to] = [timeOf(b), timeOf(a)];
  if (op === "-" && from !== undefined && to !== undefined)
    return (to - from) / (a.length === 10 && b.length === 10 ? dayMs : hourMs);
  if (typeof a !== "number" || typeof b !== "number") return undefined;
  if (op === "+") return a + b;
  if (op === "-") return a - b;
  if (op === "*") return a * b;
  return b === 0 ? undefined : a / b;
}
