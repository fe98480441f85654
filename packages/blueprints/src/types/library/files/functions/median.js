//@ (numbers: readonly number[]): number
export function median(numbers) {
  if (numbers.length === 0) throw new RangeError("numbers must not be empty");
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
//: median([5, 1, 3]) => 3
//: median([4, 1, 3, 2]) => 2.5
//: median([]) !! RangeError
