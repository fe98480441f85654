//@ (object: Record<string, unknown>, keys: readonly string[]): Record<string, unknown>
export function omit(object, keys) {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
//: omit({ a: 1, b: 2 }, ["a", "c"]) => { b: 2 }
