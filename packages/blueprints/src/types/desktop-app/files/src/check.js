/**
 * What somebody sent, as values of an entity, and what is wrong with it by field. With `isPart` fields that were not sent
 * stay as they are; else they get their defaults.
 */
export function check(entity, sent, { isPart = false } = {}) {
  const errors = {};
  const values = {};
  for (const name of Object.keys(sent)) {
    if (!entity.fields.some((field) => field.name === name)) errors[name] = "is not known";
  }
  for (const field of entity.fields) {
    const { name } = field;
    if (isPart && !Object.hasOwn(sent, name)) continue;
    const value = Object.hasOwn(sent, name) && sent[name] !== "" ? sent[name] : isPart ? null : field.initial;
    const error = problemWith(field, value);
    if (error === undefined) values[name] = value;
    else errors[name] = error;
  }
  return { values, errors };
}

function problemWith({ type, required, maxLength, min, max, values }, value) {
  if (value === null || value === undefined) return required ? "is required" : undefined;
  const kinds = { integer: "number", number: "number", boolean: "boolean" };
  if (typeof value !== (kinds[type] ?? "string")) return `must be a ${kinds[type] ?? "text"}`;
  if (required && typeof value === "string" && value.trim() === "") return "is required";
  if (type === "enum" && !values.includes(value)) return `must be one of ${values.join(", ")}`;
  if (type === "date" && Number.isNaN(Date.parse(value))) return "must be a date";
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (min !== null && value < min) return `must be at least ${min}`;
  if (max !== null && value > max) return `must be at most ${max}`;
  if (maxLength !== null && value.length > maxLength) return `must have at most ${maxLength} characters`;
  return undefined;
}

/** The records that a query asks for: any word of `q`, and fields that must be equal; the newest first. */
export function find(entity, records, query) {
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  const filters = entity.filters.filter((name) => query.has(name));
  const texts = (record) => entity.search.map((name) => String(record[name] ?? "").toLowerCase()).join("\n");
  return records
    .filter((record) => filters.every((name) => String(record[name] ?? "") === query.get(name)))
    .filter((record) => words.every((word) => texts(record).includes(word)))
    .sort((a, b) => b.id - a.id);
}
