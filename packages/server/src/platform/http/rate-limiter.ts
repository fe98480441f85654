import type { FastifyReply } from "fastify";
import type { Clock } from "../clock.ts";
import { Refusal } from "../errors/index.ts";
import type { Principal } from "./principal.ts";

const windowMs = 60_000;

/** Adds the counts of this node since the last exchange; returns those of all nodes together. */
export type ShareCounts = (
  windowStart: Date,
  counts: ReadonlyMap<string, number>,
) => Promise<ReadonlyMap<string, number>>;

/** Requests a minute: of one caller, and of all tokens and keys of a user together. */
interface Limits {
  readonly caller: number;
  readonly user: number;
}

/** Limits the requests per minute of each caller and of each user, counted over all nodes. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #limits: Limits;
  #windowStart = 0;
  /** One exchange at a time: a second one would send the same counts again. */
  #isSharing = false;
  /** The counts of all nodes at the last exchange, and those of this node since then. */
  #shared = new Map<string, number>();
  #unshared = new Map<string, number>();

  constructor(clock: Clock, limits: Limits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Counts a request and tells the caller how many are left; refuses it when none are. */
  take({ id, userId }: Pick<Principal, "id" | "userId">, reply: FastifyReply): void {
    const nowMs = this.#clock.now().getTime();
    this.#rollWindow(nowMs);
    const { caller, user } = this.#limits;
    const ofCaller = { policy: "default", perMinute: caller, left: caller - this.#count(id), whose: "" };
    const ofUser = { policy: "user", perMinute: user, left: user - this.#count(`all:${userId}`), whose: " of a user" };
    const { policy, perMinute, left, whose } = ofUser.left < ofCaller.left ? ofUser : ofCaller;
    const resetSeconds = Math.ceil((this.#windowStart + windowMs - nowMs) / 1000);
    reply.header("ratelimit-policy", `"${policy}";q=${perMinute};w=60`);
    reply.header("ratelimit", `"${policy}";r=${Math.max(0, left)};t=${resetSeconds}`);
    if (left >= 0) return;
    throw new Refusal(
      "rate_limited",
      `At most ${perMinute} requests${whose} a minute are answered. Wait ${resetSeconds} s.`,
      { headers: { "retry-after": String(resetSeconds) } },
    );
  }

  /** Counts one more under a key; returns how many there were in this minute. */
  #count(key: string): number {
    const unshared = (this.#unshared.get(key) ?? 0) + 1;
    this.#unshared.set(key, unshared);
    return (this.#shared.get(key) ?? 0) + unshared;
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
