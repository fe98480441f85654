//@ (numbers: readonly number[]): number
export function mean(numbers) {
  if (numbers.length === 0) throw new RangeError("numbers must not be empty");
  return numbers.reduce((total, number) => total + number, 0) / numbers.length;
}
//: mean([1, 2, 6]) => 3
//: mean([]) !! RangeError
