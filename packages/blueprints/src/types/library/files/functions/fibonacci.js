//@ (n: number): number
export function fibonacci(n) {
  if (!Number.isInteger(n) || n < 0 || n > 78) throw new RangeError("n must be a whole number from 0 to 78");
  let [current, next] = [0, 1];
  for (let step = 0; step < n; step += 1) [current, next] = [next, current + next];
  return current;
}
//: fibonacci(10) => 55
//: fibonacci(0) => 0
//: fibonacci(1.5) !! RangeError
