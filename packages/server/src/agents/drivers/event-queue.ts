/** Events from who makes them to who reads them, in order. What nobody reads in time is dropped, the oldest first. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #most: number;
  #waiting: T[] = [];
  #dropped = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(most = 10_000) {
    this.#most = most;
  }

  /** How many were lost because nobody read them. */
  get dropped(): number {
    return this.#dropped;
  }

  push(event: T): void {
    if (this.#isClosed) return;
    this.#waiting.push(event);
    if (this.#waiting.length > this.#most) {
      this.#waiting.shift();
      this.#dropped += 1;
    }
    this.#wake?.();
  }

  /** Nothing more will come. */
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
