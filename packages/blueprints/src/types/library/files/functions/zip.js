//@ <A, B>(first: readonly A[], second: readonly B[]): [A, B][]
export function zip(first, second) {
  const length = Math.min(first.length, second.length);
  return Array.from({ length }, (_, index) => [first[index], second[index]]);
}
//: zip([1, 2, 3], ["a", "b"]) => [[1, "a"], [2, "b"]]
