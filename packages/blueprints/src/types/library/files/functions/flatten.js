//@ (list: readonly unknown[], depth?: number): unknown[]
export function flatten(list, depth = 1) {
  return list.flat(depth);
}
//: flatten([1, [2, [3]]], 1) => [1, 2, [3]]
