//@ (value: number, min: number, max: number): number
export function clamp(value, min, max) {
  if (min > max) throw new RangeError("min must not be above max");
  return Math.min(max, Math.max(min, value));
}
//: clamp(5, 1, 3) => 3
//: clamp(-5, 1, 3) => 1
//: clamp(2, 1, 3) => 2
//: clamp(2, 3, 1) !! RangeError
