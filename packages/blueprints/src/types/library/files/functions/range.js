//@ (start: number, end: number, step?: number): number[]
export function range(start, end, step = 1) {
  if (step === 0) throw new RangeError("step must not be 0");
  const length = Math.max(0, Math.ceil((end - start) / step));
  return Array.from({ length }, (_, index) => start + index * step);
}
//: range(0, 3, 1) => [0, 1, 2]
//: range(5, 0, -2) => [5, 3, 1]
//: range(0, 1, 0) !! RangeError
