import type { Call } from "../../network/index.ts";

/** How much later than promised a call may be ended. */
const lookMs = 250;
/** Whoever takes longer is slow. */
const slowMs = 2_000;

/** Calls that must end in time: looked at together, since a timer for each would be a part of its cost that can be seen. */
export class CallsUnderWay {
  readonly #wholeMs: number;
  readonly #onSlow: () => void;
  /** When each has to be over; in the order in which they began. */
  readonly #calls = new Map<Call, number>();
  #slow = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(wholeMs: number, onSlow: () => void = () => undefined) {
    this.#wholeMs = wholeMs;
    this.#onSlow = onSlow;
  }

  /** How many have been slow, when it was looked last. */
  get slow(): number {
    return Math.min(this.#slow, this.#calls.size);
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
    const before = this.#slow;
    this.#slow = 0;
    for (const [call, untilMs] of this.#calls) {
      if (untilMs - this.#wholeMs + slowMs > nowMs) break;
      this.#slow += 1;
      if (untilMs <= nowMs) call.abort();
    }
    if (this.#slow > before) this.#onSlow();
    if (this.#calls.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
