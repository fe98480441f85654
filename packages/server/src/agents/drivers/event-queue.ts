import type { AgentEvent } from "./driver.ts";

/** Of this many events, or letters in them, a driver waits for the reader. */
const fullAt = { events: 1_000, letters: 2 * 1024 * 1024 };
/** Drivers that do not wait lose the oldest. */
const maxEvents = 10_000;

/** The events of a run, for one reader. */
export class EventQueue implements AsyncIterable<AgentEvent> {
  readonly #waiting: AgentEvent[] = [];
  #letters = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  push(event: AgentEvent): void {
    if (this.#isClosed) return;
    this.#waiting.push(event);
    this.#letters += lettersIn(event);
    if (this.#waiting.length > maxEvents) this.#shift();
    this.#wake?.();
  }

  /** Resolves when the reader has caught up. Who reads output waits for it, so that a fast program waits as well. */
  async whenRoom(): Promise<void> {
    if (!this.#isFull || this.#isClosed) return;
    this.#room ??= Promise.withResolvers();
    await this.#room.promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#room?.resolve();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    try {
      for (;;) {
        for (let event = this.#shift(); event !== undefined; event = this.#shift()) yield event;
        if (this.#isClosed) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
        this.#wake = undefined;
      }
    } finally {
      // A reader that leaves must not hold up the driver.
      this.close();
    }
  }

  get #isFull(): boolean {
    return this.#waiting.length >= fullAt.events || this.#letters >= fullAt.letters;
  }

  #shift(): AgentEvent | undefined {
    const event = this.#waiting.shift();
    if (event === undefined) return undefined;
    this.#letters -= lettersIn(event);
    if (!this.#isFull) {
      this.#room?.resolve();
      this.#room = undefined;
    }
    return event;
  }
}

function lettersIn(event: AgentEvent): number {
  const texts = Object.values(event).flat();
  return texts.reduce((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}
