//@ <T>(list: readonly T[], key: keyof T | ((item: T) => PropertyKey)): Record<PropertyKey, T[]>
export function groupBy(list, key) {
  const keyOf = typeof key === "function" ? key : (item) => item[key];
  const groups = new Map();
  for (const item of list) {
    const name = String(keyOf(item));
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return Object.fromEntries(groups);
}
//: groupBy([1, 2, 3], (n) => (n % 2 === 0 ? "even" : "odd")) => { odd: [1, 3], even: [2] }
//: groupBy([{ kind: "a", n: 1 }], "kind") => { a: [{ kind: "a", n: 1 }] }
//= (item) => ==> (item: T) =>
//= new Map() ==> new Map<string, T[]>()
//= groups.get(name). ==> groups.get(name)!.
