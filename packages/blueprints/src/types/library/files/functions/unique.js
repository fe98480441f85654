//@ <T>(list: readonly T[]): T[]
export function unique(list) {
  return [...new Set(list)];
}
//: unique([3, 1, 3]) => [3, 1]
