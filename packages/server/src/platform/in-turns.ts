import { setImmediate as inNextLoop } from "node:timers";

/**
 * Work that shares one budget of each loop of the event loop: however much of it there is, it delays itself and nobody else.
 * With a slice for each, a hundred readers of one log made loops of half a second, and a new connection waits for many loops.
 */
class Share {
  readonly #budgetMs: number;
  /** Since when the budget of this loop is being spent. */
  #since: number | undefined;
  readonly #waiting: (() => void)[] = [];

  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs;
  }

  /** Undefined while this loop's budget lasts; then a promise of a later loop's, one waiter a loop. */
  turn(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#since === undefined) this.#begin(now);
    else if (now - this.#since >= this.#budgetMs) return new Promise((resolve) => this.#waiting.push(resolve));
    return undefined;
  }

  #begin(now: number): void {
    this.#since = now;
    inNextLoop(() => {
      this.#since = undefined;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begin(performance.now());
      next();
    });
  }
}

/** What the service does by itself, for projects. */
const work = new Share(5);
/** What readers of streams and lists are sent: a share of its own, so that no crowd of them delays projects. */
export const answers = new Share(2);
/** What is posted to receivers: behind the work for projects, receivers that wait for us would look slow. */
export const posts = new Share(5);

/** Gives others a turn every few milliseconds: to be called, and waited for, between pieces of work. */
export function takeTurns(signal?: AbortSignal, share = work): () => Promise<void> | undefined {
  return () => share.turn()?.then(() => signal?.throwIfAborted());
}

/** One after the other, with a turn for others every few milliseconds. */
export async function* inTurns<Item>(items: Iterable<Item>, share = work): AsyncGenerator<Item> {
  const turn = takeTurns(undefined, share);
  for (const item of items) {
    const others = turn();
    // Waiting for nothing would take as long as many a piece of work.
    if (others !== undefined) await others;
    yield item;
  }
}
