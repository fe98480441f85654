import type { FastifyReply } from "fastify";
import type { Clock } from "../clock.ts";
import { Refusal } from "../errors/index.ts";

const windowMs = 60_000;

/** Adds the counts of this node since the last exchange; returns those of all nodes together. */
export type ShareCounts = (
  windowStart: Date,
  counts: ReadonlyMap<string, number>,
) => Promise<ReadonlyMap<string, number>>;

/** Limits the requests per minute of each caller, counted over all nodes. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #perMinute: number;
  #windowStart = 0;
  /** One exchange at a time: a second one would send the same counts again. */
  #isSharing = false;
  /** The counts of all nodes at the last exchange, and those of this node since then. */
  #shared = new Map<string, number>();
  #unshared = new Map<string, number>();

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Counts a request and tells the caller how many are left; refuses it when none are. */
  take(caller: string, reply: FastifyReply): void {
    const nowMs = this.#clock.now().getTime();
    this.#rollWindow(nowMs);
    const used = (this.#shared.get(caller) ?? 0) + (this.#unshared.get(caller) ?? 0) + 1;
    this.#unshared.set(caller, (this.#unshared.get(caller) ?? 0) + 1);
    const left = Math.max(0, this.#perMinute - used);
    const resetSeconds = Math.ceil((this.#windowStart + windowMs - nowMs) / 1000);
    reply.header("ratelimit-policy", `"default";q=${this.#perMinute};w=60`);
    reply.header("ratelimit", `"default";r=${left};t=${resetSeconds}`);
    if (used <= this.#perMinute) return;
    throw new Refusal(
      "rate_limited",
      `At most ${this.#perMinute} requests a minute are answered. Wait ${resetSeconds} s.`,
      {
        headers: { "retry-after": String(resetSeconds) },
      },
    );
  }

  /** Exchanges counts with the other nodes. */
  async share(exchange: ShareCounts): Promise<void> {
    if (this.#isSharing) return;
    this.#isSharing = true;
    try {
      await this.#exchange(exchange);
    } finally {
      this.#isSharing = false;
    }
  }

  async #exchange(exchange: ShareCounts): Promise<void> {
    this.#rollWindow(this.#clock.now().getTime());
    const windowStart = this.#windowStart;
    const sent = new Map([...this.#unshared].filter(([, count]) => count > 0));
    if (sent.size === 0) return;
    const totals = await exchange(new Date(windowStart), sent);
    if (windowStart !== this.#windowStart) return;
    for (const [caller, count] of sent) {
      this.#unshared.set(caller, (this.#unshared.get(caller) ?? 0) - count);
      this.#shared.set(caller, totals.get(caller) ?? count);
    }
  }

  #rollWindow(nowMs: number): void {
    const start = Math.floor(nowMs / windowMs) * windowMs;
    if (start === this.#windowStart) return;
    this.#windowStart = start;
    this.#shared = new Map();
    this.#unshared = new Map();
  }
}
