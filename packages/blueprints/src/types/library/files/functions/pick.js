//@ (object: Record<string, unknown>, keys: readonly string[]): Record<string, unknown>
export function pick(object, keys) {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(object, key)).map((key) => [key, object[key]]));
}
//: pick({ a: 1, b: 2 }, ["a", "c"]) => { a: 1 }
