/** The steps of matching and calculating that all texts of a document together may take: the same on every machine. */
const maxSteps = 1_000_000;
let left = maxSteps;

/** A document asks for more than anybody would wait for. */
export class OutOfSteps extends Error {}

/** Gives what `read` makes of a document a number of steps of its own. Must not wait. */
export function withSteps<T>(read: () => T): T {
  left = maxSteps;
  return read();
}

export function spendSteps(steps = 1): void {
  left -= steps;
  if (left < 0) throw new OutOfSteps("the document takes too long to work out");
}
