const isLong = process.env["SLIPWAY_LONG"] === "1";

/** How often a property is tried with inputs of chance: a quarter of the times, all of them in `npm run test:long`. */
export function soakRuns(runs: number): number {
  return isLong ? runs : Math.ceil(runs / 4);
}

/** What a test is tried with: the first of the cases, all of them in `npm run test:long`. */
export function soakCases<T>(cases: readonly T[], count = 1): readonly T[] {
  return isLong ? cases : cases.slice(0, count);
}

/** How large what a test is tried with is: small, and its full size in `npm run test:long`. */
export function soakSize(full: number, small: number): number {
  return isLong ? full : small;
}
