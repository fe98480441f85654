//@ (ms: number): Promise<void>
export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
//: await sleep(1) => undefined
