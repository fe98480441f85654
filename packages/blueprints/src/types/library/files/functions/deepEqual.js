//@ (a: unknown, b: unknown): boolean
export function deepEqual(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]));
}
//: deepEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }) => true
//: deepEqual({ a: 1 }, { b: 1 }) => false
//: deepEqual([1], [1, 2]) => false
//: deepEqual([], {}) => false
//: deepEqual(new Date(5), new Date(5)) => true
//: deepEqual(1, "1") => false
//= deepEqual(a[key], b[key]) ==> deepEqual(Reflect.get(a, key), Reflect.get(b, key))
