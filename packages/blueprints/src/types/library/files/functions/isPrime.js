//@ (n: number): boolean
export function isPrime(n) {
  if (!Number.isInteger(n) || n < 2) return false;
  for (let divisor = 2; divisor * divisor <= n; divisor += 1) if (n % divisor === 0) return false;
  return true;
}
//: isPrime(97) => true
//: isPrime(91) => false
//: isPrime(1) => false
