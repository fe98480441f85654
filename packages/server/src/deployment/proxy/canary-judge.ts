import { type Masked, ownWords } from "../../platform/secrets/index.ts";

/** When a canary has failed. */
export interface CanaryLimits {
  readonly release: string;
  /** The share of its last requests that may fail, 0 to 1. */
  readonly maxErrorRate: number;
  readonly maxP99Ms?: number;
  /** A request that has waited for so long, and got no beginning of an answer, has failed; a minute if it is left out. */
  readonly maxWaitMs?: number;
  /** A rate counts once it is that of so many requests. */
  readonly minRequests: number;
  /** Called once, when the canary gets no more requests. */
  readonly onBreach: (reason: Masked) => void;
}

/** By then most browsers, programs and proxies have given up. */
const usualWaitMs = 60_000;
/** How many of the last requests count. */
const windowSize = 1_000;
const [isFailed, isSlow] = [1, 2];

/** Judges a canary by its last requests, one by one, in a fixed amount of memory. */
export class CanaryJudge {
  #limits: CanaryLimits;
  readonly #window: Uint8Array;
  #count = 0;
  #failed = 0;
  #slow = 0;
  #next = 0;
  #isBreached = false;

  constructor(limits: CanaryLimits) {
    if (!(limits.maxErrorRate >= 0 && limits.maxErrorRate <= 1))
      throw new Error(`maxErrorRate is ${limits.maxErrorRate}: give a share between 0 and 1.`);
    if (!(limits.minRequests >= 1)) throw new Error(`minRequests is ${limits.minRequests}: give at least 1.`);
    this.#limits = limits;
    this.#window = new Uint8Array(Math.max(windowSize, Math.ceil(limits.minRequests)));
  }

  /** The judge goes on with what it has seen if the limits are the same as before. */
  static of(limits: CanaryLimits, before: CanaryJudge | undefined): CanaryJudge {
    if (before === undefined || !isSame(limits, before.#limits)) return new CanaryJudge(limits);
    before.#limits = limits;
    return before;
  }

  get release(): string {
    return this.#limits.release;
  }

  get isBreached(): boolean {
    return this.#isBreached;
  }

  /** After how long a request that waits for an answer is to be taken into account. */
  get patienceMs(): number {
    const { maxP99Ms = Number.POSITIVE_INFINITY, maxWaitMs = usualWaitMs } = this.#limits;
    return Math.min(maxP99Ms, maxWaitMs);
  }

  /** Takes a request into account that still waits: it may do so for ever. Returns whether it counts as failed. */
  addWaiting(ms: number): boolean {
    const hasFailed = ms > (this.#limits.maxWaitMs ?? usualWaitMs);
    this.add(hasFailed, ms);
    return hasFailed;
  }

  /** Takes a finished request into account, and tells the owner if the limits are exceeded for the first time. */
  add(hasFailed: boolean, ms: number): void {
    if (this.#isBreached) return;
    const { maxP99Ms = Number.POSITIVE_INFINITY } = this.#limits;
    this.#keep((hasFailed ? isFailed : 0) | (ms > maxP99Ms ? isSlow : 0));
    const reason = this.#whyBreached();
    if (reason === undefined) return;
    this.#isBreached = true;
    // The owner's errors must not become those of a request.
    queueMicrotask(() => this.#limits.onBreach(reason));
  }

  #keep(mark: number): void {
    if (this.#count === this.#window.length) this.#tally(this.#window[this.#next]!, -1);
    this.#window[this.#next] = mark;
    this.#tally(mark, 1);
    this.#next = (this.#next + 1) % this.#window.length;
  }

  #tally(mark: number, by: 1 | -1): void {
    this.#count += by;
    if ((mark & isFailed) !== 0) this.#failed += by;
    if ((mark & isSlow) !== 0) this.#slow += by;
  }

  /** Below `minRequests` the requests to come are taken for good ones: what exceeds the limits even then is certain. */
  #whyBreached(): Masked | undefined {
    const { maxErrorRate, maxP99Ms, minRequests } = this.#limits;
    const judged = Math.max(this.#count, minRequests);
    if (this.#failed / judged > maxErrorRate)
      return ownWords`${this.#failed} of the last ${this.#count} requests failed, more than ${percent(maxErrorRate)}.`;
    if (this.#slow / judged > 0.01)
      return ownWords`${this.#slow} of the last ${this.#count} requests took longer than ${maxP99Ms ?? 0} ms, more than 1 %.`;
    return undefined;
  }
}

function isSame(one: CanaryLimits, other: CanaryLimits): boolean {
  const names = ["release", "maxErrorRate", "maxP99Ms", "maxWaitMs", "minRequests"] as const;
  return names.every((name) => one[name] === other[name]);
}

function percent(share: number): Masked {
  return ownWords`${Number((100 * share).toPrecision(3))} %`;
}
