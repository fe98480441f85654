import type { Call } from "../../../platform/network/index.ts";

/** How much later than promised a call may be ended. */
const pollMs = 250;
/** Whoever takes longer is slow. */
const slowMs = 2_000;

/** A call that is under way, between those that began before and after it. */
export interface CallInFlight {
  readonly call: Call;
  readonly untilMs: number;
  before: CallInFlight | undefined;
  after: CallInFlight | undefined;
}

/**
 * Calls that must end in time: looked at together, since a timer for each would be a part of its cost that can be seen. They are
 * a chain, in the order in which they began: a `Map` that is filled and emptied all the time leaves tables behind that keep calls
 * from being collected.
 */
export class CallsInFlight {
  readonly #wholeMs: number;
  readonly #onSlow: () => void;
  #first: CallInFlight | undefined;
  #last: CallInFlight | undefined;
  #count = 0;
  #slow = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(wholeMs: number, onSlow: () => void = () => undefined) {
    this.#wholeMs = wholeMs;
    this.#onSlow = onSlow;
  }

  /** How many have been slow, when it was looked last. */
  get slow(): number {
    return Math.min(this.#slow, this.#count);
  }

  add(call: Call): CallInFlight {
    const added: CallInFlight = {
      call,
      untilMs: performance.now() + this.#wholeMs,
      before: this.#last,
      after: undefined,
    };
    if (this.#last === undefined) this.#first = added;
    else this.#last.after = added;
    this.#last = added;
    this.#count += 1;
    this.#timer ??= setInterval(() => this.#look(), pollMs).unref();
    return added;
  }

  /** It is over; says whether in time. */
  remove(ended: CallInFlight): { isLate: boolean } {
    const { before, after, untilMs } = ended;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    ended.before = undefined;
    ended.after = undefined;
    this.#count -= 1;
    return { isLate: performance.now() > untilMs };
  }

  abortAll(): void {
    for (let one = this.#first; one !== undefined; one = one.after) one.call.abort();
  }

  #look(): void {
    const nowMs = performance.now();
    const before = this.#slow;
    this.#slow = 0;
    for (let one = this.#first; one !== undefined; one = one.after) {
      if (one.untilMs - this.#wholeMs + slowMs > nowMs) break;
      this.#slow += 1;
      if (one.untilMs <= nowMs) one.call.abort();
    }
    if (this.#slow > before) this.#onSlow();
    if (this.#first !== undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
