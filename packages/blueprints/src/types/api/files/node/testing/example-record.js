/** A record that fits the fields of a resource. */
export function exampleOf({ fields }) {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldValue(field)]));
}

/** Which text fits a pattern cannot be told from it: then nothing is known that could be required. */
export function isExampleKnown({ fields }) {
  return Object.values(fields).every(
    ({ required, pattern, default: fallback }) => !required || !pattern || fallback !== undefined,
  );
}

const byType = {
  boolean: true,
  date: "2030-05-04",
  datetime: "2030-05-04T10:00:00Z",
  email: "someone@example.org",
  url: "https://example.org/",
  object: {},
};

function fieldValue({ type, default: fallback, values, of, min = 1, max = min, min_length = 1, pattern }) {
  if (fallback !== undefined) return fallback;
  if (type === "enum") return values[0];
  if (type === "integer" || type === "number") return Math.min(Math.max(1, min), Math.max(min, max));
  if (type === "list") return of === undefined ? [] : [fieldValue(of)];
  if (pattern !== undefined) return null;
  return byType[type] ?? "x".repeat(Math.max(1, min_length));
}
