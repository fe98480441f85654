//@ (ms: number): Promise<void>
export function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
//: await delay(1) => undefined
