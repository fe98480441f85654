import { count } from "../../platform/count.ts";
import type { AgentEvent } from "./driver.ts";

/** Of this many events, or letters in them, a driver waits for the reader. */
const fullAt = { events: 1_000, letters: 2 * 1024 * 1024 };
/** What drivers that do not wait push beyond this is left out until the reader has caught up. */
const maxEvents = 10_000;

/** The events of a run, for one reader. */
export class EventQueue implements AsyncIterable<AgentEvent> {
  readonly #waiting: AgentEvent[] = [];
  #letters = 0;
  #leftOut = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  push(event: AgentEvent): void {
    if (this.#isClosed) return;
    const hasRoom = this.#waiting.length < maxEvents && this.#leftOut === 0;
    if (hasRoom || mustArrive(event)) this.#add(event);
    else this.#leftOut += 1;
  }

  /** Resolves when the reader has caught up. Who reads output waits for it, so that a fast program waits as well. */
  async whenRoom(): Promise<void> {
    if (!this.#isFull || this.#isClosed) return;
    this.#room ??= Promise.withResolvers();
    await this.#room.promise;
  }

  close(): void {
    this.#tellLeftOut();
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
      this.#tellLeftOut();
      this.#room?.resolve();
      this.#room = undefined;
    }
    return event;
  }

  #add(event: AgentEvent): void {
    this.#waiting.push(event);
    this.#letters += lettersIn(event);
    this.#wake?.();
  }

  #tellLeftOut(): void {
    if (this.#leftOut === 0) return;
    const text = `… ${count(this.#leftOut, "more event was", "more events were")} left out\n`;
    this.#leftOut = 0;
    this.#add({ type: "log", stream: "stdout", text });
  }
}

/** Without a usage the agent costs too little; an agent waits for the answer to its question. */
function mustArrive({ type }: AgentEvent): boolean {
  return type === "usage" || type === "permission";
}

function lettersIn(event: AgentEvent): number {
  const texts = Object.values(event).flat();
  return texts.reduce((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}
