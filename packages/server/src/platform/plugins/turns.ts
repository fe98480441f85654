import { Refusal } from "../errors/index.ts";

/** Lets a few work at once, some wait, and refuses the rest: anyone may ask for a dry run, and each is a process. */
export class Turns {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  constructor({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working >= this.#atOnce) await this.#wait();
    else this.#working += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place.
      const next = this.#waiting.shift();
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting)
      throw new Refusal("overloaded", "Too many plugins are being asked. Try again shortly.", {
        headers: { "retry-after": "5" },
      });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }
}
