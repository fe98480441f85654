/** What a single value can be read as. Each function gives undefined for what it cannot read. */

export function toNumber(value) {
  if (typeof value === "string" && !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value)) return undefined;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return Number.isFinite(Number(value)) ? Number(value) : undefined;
}

export function toBoolean(value) {
  if (typeof value === "boolean") return Number(value);
  const words = new Map([["true", 1], ["yes", 1], ["false", 0], ["no", 0]]);
  return typeof value === "string" ? words.get(value.toLowerCase()) : undefined;
}

/** Days since 1970. */
export function toDate(value) {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const time = Date.parse(`${value}T00:00:00Z`);
  const isReal = Number.isFinite(time) && new Date(time).toISOString().startsWith(value);
  return isReal ? time / 86_400_000 : undefined;
}

export function toText(value) {
  return value === null || value === undefined ? undefined : String(value);
}

/** A value of the label as it is answered: true and false and numbers as such, all else as text. */
export function toClass(value) {
  if (typeof value === "string" && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true";
  return toNumber(value) ?? value;
}

/** How the values of each type are read, and what they should have been. */
export const kinds = {
  number: { read: toNumber, expected: "a number" },
  boolean: { read: toBoolean, expected: "true or false" },
  date: { read: toDate, expected: "a day such as 2026-11-16" },
  category: { read: toText, expected: "a text" },
};
