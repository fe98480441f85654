import type { Clock } from "../clock.ts";
import { Refusal } from "../errors/index.ts";
import { addressGroup } from "./address-group.ts";

const maxAddresses = 10_000;

/** Slows down the guessing of tokens: counts failures by address, for IPv6 by network. Valid tokens are never slowed down. */
export class FailedTokens {
  readonly #clock: Clock;
  readonly #maxPerMinute: number;
  readonly #refusal: string;
  #windowStart = 0;
  #counts = new Map<string, number>();

  constructor(clock: Clock, { maxPerMinute = 30, refusal = "Your address sent too many wrong tokens." } = {}) {
    this.#clock = clock;
    this.#maxPerMinute = maxPerMinute;
    this.#refusal = refusal;
  }

  /** Counts a failure; refuses when the address had too many. */
  count(address: string): void {
    const minute = Math.floor(this.#clock.now().getTime() / 60_000);
    if (minute !== this.#windowStart || this.#counts.size >= maxAddresses) {
      this.#windowStart = minute;
      this.#counts = new Map();
    }
    const group = addressGroup(address);
    const count = (this.#counts.get(group) ?? 0) + 1;
    this.#counts.set(group, count);
    if (count <= this.#maxPerMinute) return;
    throw new Refusal("rate_limited", `${this.#refusal} Wait a minute.`, {
      headers: { "retry-after": String(60 - (Math.floor(this.#clock.now().getTime() / 1000) % 60)) },
    });
  }
}
