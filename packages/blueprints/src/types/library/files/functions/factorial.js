//@ (n: number): number
export function factorial(n) {
  if (!Number.isInteger(n) || n < 0 || n > 170) throw new RangeError("n must be a whole number from 0 to 170");
  let product = 1;
  for (let factor = 2; factor <= n; factor += 1) product *= factor;
  return product;
}
//: factorial(5) => 120
//: factorial(0) => 1
//: factorial(-1) !! RangeError
