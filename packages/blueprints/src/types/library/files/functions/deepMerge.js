//@ (base: Record<string, unknown>, changes: Record<string, unknown>): Record<string, unknown>
export function deepMerge(base, changes) {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(changes)) {
    const known = merged.get(key);
    merged.set(key, isPlain(known) && isPlain(value) ? deepMerge(known, value) : value);
  }
  return Object.fromEntries(merged);
}

function isPlain(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
//: deepMerge({ a: { x: 1 }, b: [1] }, { a: { y: 2 }, b: [2] }) => { a: { x: 1, y: 2 }, b: [2] }
//= function isPlain(value) { ==> function isPlain(value: unknown): value is Record<string, unknown> {
