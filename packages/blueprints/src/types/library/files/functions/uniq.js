//@ <T>(list: readonly T[]): T[]
export function uniq(list) {
  return [...new Set(list)];
}
//: uniq([3, 1, 3]) => [3, 1]
