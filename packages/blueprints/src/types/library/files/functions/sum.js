//@ (numbers: readonly number[]): number
export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
//: sum([1, 2, 3]) => 6
//: sum([]) => 0
