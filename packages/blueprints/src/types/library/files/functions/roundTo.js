//@ (value: number, decimals: number): number
export function roundTo(value, decimals) {
  const scaled = Number(`${Math.abs(value)}e${decimals}`);
  return Math.sign(value) * Number(`${Math.round(scaled)}e${-decimals}`);
}
//: roundTo(1.005, 2) => 1.01
//: roundTo(-2.5, 0) => -3
