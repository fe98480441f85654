import type { Clock } from "../clock.ts";
import { Refusal } from "../errors/index.ts";
import { addressGroup } from "./address-group.ts";

const maxPerMinute = 30;
const maxAddresses = 10_000;

/** Slows down the guessing of tokens: counts failures by address, for IPv6 by network. Valid tokens are never slowed down. */
export class FailedTokens {
  readonly #clock: Clock;
  #windowStart = 0;
  #counts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
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
    if (count <= maxPerMinute) return;
    throw new Refusal("rate_limited", "Your address sent too many wrong tokens. Wait a minute.", {
      headers: { "retry-after": String(60 - (Math.floor(this.#clock.now().getTime() / 1000) % 60)) },
    });
  }
}
