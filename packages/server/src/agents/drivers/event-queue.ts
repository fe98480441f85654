/** A queue of events for one reader. When it is full, it drops the oldest. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #maxLength: number;
  #waiting: T[] = [];
  #dropped = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(maxLength = 10_000) {
    this.#maxLength = maxLength;
  }

  /** How many events were lost because nobody read them in time. */
  get dropped(): number {
    return this.#dropped;
  }

  push(event: T): void {
    if (this.#isClosed) return;
    this.#waiting.push(event);
    if (this.#waiting.length > this.#maxLength) {
      this.#waiting.shift();
      this.#dropped += 1;
    }
    this.#wake?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      const events = this.#waiting;
      this.#waiting = [];
      yield* events;
      if (this.#waiting.length > 0) continue;
      if (this.#isClosed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
  }
}
