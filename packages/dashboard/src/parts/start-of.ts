/** Where to begin so that the wanted place is among the first; an address may name one that is not there. */
export function startOf(count: number, step: number, at: number): number {
  return at >= step && at < count ? at - Math.floor(step / 2) : 0;
}
