//@ (a: number, b: number): number
export function gcd(a, b) {
  if (!Number.isInteger(a) || !Number.isInteger(b)) throw new RangeError("a and b must be whole numbers");
  let [larger, smaller] = [Math.abs(a), Math.abs(b)];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
//: gcd(12, -18) => 6
//: gcd(0, 5) => 5
//: gcd(0.5, 1) !! RangeError
