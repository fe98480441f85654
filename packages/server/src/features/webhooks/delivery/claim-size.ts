import type { Log } from "../../../platform/log/index.ts";

const growth = 2;
/** A claim that is too large may take until the database ends it: few failures must find the size that works. */
const shrinkage = 8;

/** How many deliveries to claim at once: fewer after each claim that fails, until claims succeed again. */
export class ClaimSize {
  readonly #log: Pick<Log, "warn">;
  readonly #max: number;
  #current: number;
  #failures = 0;

  constructor(log: Pick<Log, "warn">, max: number) {
    this.#log = log;
    this.#max = max;
    this.#current = max;
  }

  get current(): number {
    return this.#current;
  }

  /** The last claim failed: the next one may fail too. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  noteSucceeded(): void {
    this.#failures = 0;
    this.#current = Math.min(this.#current * growth, this.#max);
  }

  noteFailed(error: unknown): void {
    this.#failures += 1;
    this.#current = Math.max(Math.floor(this.#current / shrinkage), 1);
    // Once may be a database that was away. For ever is told ever more rarely.
    if (this.#failures > 1 && Number.isInteger(Math.log2(this.#failures)))
      this.#log.warn(
        { err: error, failures: this.#failures, max_claimed: this.#current },
        "Due deliveries of webhooks could not be claimed again: fewer are claimed at once.",
      );
  }
}
