/** Lets work on the same thing happen one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work when all before it is over; who is aborted while waiting for that waits no longer, and nothing is done. */
  async take<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const before = this.#last.get(key) ?? Promise.resolve();
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    const mine = before
      .catch(() => undefined)
      .then(() => {
        signal?.removeEventListener("abort", leave);
        signal?.throwIfAborted();
        return work();
      });
    this.#last.set(key, mine);
    const forget = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    void mine.then(forget, forget);
    return Promise.race([mine, left]);
  }
}
