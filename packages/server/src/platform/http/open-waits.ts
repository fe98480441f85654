import { Refusal } from "../errors/index.ts";
import type { Metrics } from "./metrics.ts";

const maxPerCaller = 20;

/** Limits the streams and long polls that each caller may have open, and ends them when the service stops. */
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
  open(caller: string): Disposable {
    const count = this.#counts.get(caller) ?? 0;
    if (count >= maxPerCaller) {
      throw new Refusal("rate_limited", `At most ${maxPerCaller} streams and waits may be open at once.`, {
        headers: { "retry-after": "5" },
      });
    }
    this.#counts.set(caller, count + 1);
    this.#gauge.inc();
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#gauge.dec();
        const left = (this.#counts.get(caller) ?? 1) - 1;
        if (left === 0) this.#counts.delete(caller);
        else this.#counts.set(caller, left);
      },
    };
  }

  stop(): void {
    this.#stopping.abort();
  }
}
