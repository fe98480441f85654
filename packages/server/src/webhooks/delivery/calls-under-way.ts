import type { Call } from "../../network/index.ts";

/** How much later than promised a call may be ended. */
const lookMs = 250;

/** Calls that must end in time: looked at together, since a timer for each would be a part of its cost that can be seen. */
export class CallsUnderWay {
  readonly #wholeMs: number;
  /** When each has to be over. */
  readonly #calls = new Map<Call, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(wholeMs: number) {
    this.#wholeMs = wholeMs;
  }

  add(call: Call): void {
    this.#calls.set(call, performance.now() + this.#wholeMs);
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
  }

  /** It is over; says whether in time. */
  remove(call: Call): { isLate: boolean } {
    const isLate = performance.now() > (this.#calls.get(call) ?? Infinity);
    this.#calls.delete(call);
    return { isLate };
  }

  abortAll(): void {
    for (const call of this.#calls.keys()) call.abort();
  }

  #look(): void {
    const nowMs = performance.now();
    for (const [call, untilMs] of this.#calls) {
      // In the order in which they began: the others have more time.
      if (untilMs > nowMs) break;
      call.abort();
    }
    if (this.#calls.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
