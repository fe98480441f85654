import { Refusal } from "../errors/index.ts";
import type { Metrics } from "./metrics.ts";
import type { Principal } from "./principal.ts";

const maxPerCaller = 20;
/** Of all tokens and keys of a user together. */
const maxPerUser = 100;

/** Limits the streams and long polls that each caller and each user may have open, and ends them when the service stops. */
export class OpenWaits {
  readonly #counts = new Map<string, number>();
  readonly #stopping = new AbortController();
  readonly #gauge: Metrics["streams"];

  constructor({ streams }: Pick<Metrics, "streams">) {
    this.#gauge = streams;
  }

  /** Aborted when the service stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Counts one more, until the caller disposes of it. */
  open({ id, userId }: Pick<Principal, "id" | "userId">): Disposable {
    const keys = [id, `all:${userId}`];
    this.#requireRoom(id, maxPerCaller, "");
    this.#requireRoom(`all:${userId}`, maxPerUser, " of a user");
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#gauge.inc();
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#gauge.dec();
        for (const key of keys) this.#release(key);
      },
    };
  }

  #requireRoom(key: string, max: number, whose: string): void {
    if ((this.#counts.get(key) ?? 0) < max) return;
    throw new Refusal("rate_limited", `At most ${max} streams and waits${whose} may be open at once.`, {
      headers: { "retry-after": "5" },
    });
  }

  #release(key: string): void {
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left === 0) this.#counts.delete(key);
    else this.#counts.set(key, left);
  }

  stop(): void {
    this.#stopping.abort();
  }
}
