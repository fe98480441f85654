//@ <T>(list: readonly T[], key: keyof T | ((item: T) => string | number)): T[]
export function sortBy(list, key) {
  const keyOf = typeof key === "function" ? key : (item) => item[key];
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return [...list].sort((a, b) => compare(keyOf(a), keyOf(b)));
}
//: sortBy([3, 1, 2, 2], (n) => -n) => [3, 2, 2, 1]
//: sortBy([{ n: 2 }, { n: 1 }], "n") => [{ n: 1 }, { n: 2 }]
//= (item) => ==> (item: T) =>
//= const compare = (a, b) ==> const compare = <V>(a: V, b: V)
