/** The turns of one taker. */
export interface Turns<Lent> {
  /** Something that is lent, kept until another who waits has used less, or until `leave`. An abort ends the wait at once. */
  readonly take: (signal: AbortSignal) => Promise<Lent>;
  /** Notes what was used in a turn, and gives it up to whoever waits and has used less. */
  readonly charge: (usedMs: number) => void;
  readonly leave: () => void;
}

interface Taker<Lent> {
  usedMs: number;
  held: Lent | undefined;
  /** Hands over what it waits for. */
  receive: ((lent: Lent) => void) | undefined;
}

/**
 * Lends a few things to many: whoever has used the least time has the next turn. Whoever needs little never waits for more
 * than the turns that others are in.
 */
export class FairTurns<Lent> {
  readonly #free: Lent[];
  readonly #takers = new Set<Taker<Lent>>();
  /** Those who have waited longest first. */
  readonly #waiting = new Set<Taker<Lent>>();

  constructor(lent: readonly Lent[]) {
    this.#free = [...lent];
  }

  /** Joins those who take turns, with what it has used before; left out: nobody is owed what others used before. */
  join(usedMs = leastUsed(this.#takers)?.usedMs ?? 0): Turns<Lent> {
    const taker: Taker<Lent> = { usedMs, held: undefined, receive: undefined };
    this.#takers.add(taker);
    return {
      take: (signal) => this.#take(taker, signal),
      charge: (ms) => {
        taker.usedMs += ms;
        const next = leastUsed(this.#waiting);
        if (next !== undefined && next.usedMs < taker.usedMs) this.#giveUp(taker);
      },
      leave: () => {
        this.#takers.delete(taker);
        this.#waiting.delete(taker);
        this.#giveUp(taker);
      },
    };
  }

  async #take(taker: Taker<Lent>, signal: AbortSignal): Promise<Lent> {
    signal.throwIfAborted();
    // The one that was used last comes first: it is warm.
    taker.held ??= this.#free.pop();
    if (taker.held !== undefined) return taker.held;
    const { promise, resolve, reject } = Promise.withResolvers<Lent>();
    const onAbort = () => {
      this.#waiting.delete(taker);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    taker.receive = resolve;
    this.#waiting.add(taker);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #giveUp(taker: Taker<Lent>): void {
    const lent = taker.held;
    if (lent === undefined) return;
    taker.held = undefined;
    const next = leastUsed(this.#waiting);
    if (next === undefined) {
      this.#free.push(lent);
      return;
    }
    this.#waiting.delete(next);
    next.held = lent;
    next.receive?.(lent);
  }
}

function leastUsed<Lent>(takers: Iterable<Taker<Lent>>): Taker<Lent> | undefined {
  let least: Taker<Lent> | undefined;
  for (const taker of takers) if (least === undefined || taker.usedMs < least.usedMs) least = taker;
  return least;
}
