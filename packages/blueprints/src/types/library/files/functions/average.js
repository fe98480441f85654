//@ (numbers: readonly number[]): number
export function average(numbers) {
  if (numbers.length === 0) throw new RangeError("numbers must not be empty");
  return numbers.reduce((total, number) => total + number, 0) / numbers.length;
}
//: average([1, 2, 6]) => 3
//: average([]) !! RangeError
