import { Refusal } from "../errors/index.ts";

interface ConcurrencyLimits {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
}

/** Runs a few at once, lets some wait and refuses the rest: anyone may ask for a dry run, and each starts a process. */
export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limits.maxConcurrent) await this.#wait();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next one that waits takes over the slot.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#limits.maxWaiting)
      throw new Refusal("overloaded", "Too many plugins are in use. Try again shortly.", {
        headers: { "retry-after": "5" },
      });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }
}
