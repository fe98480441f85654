import type { Database } from "../../../platform/database/index.ts";
import type { Book, Ending, Held } from "./claimed.ts";
import { giveBackDeliveries, type Lease, type Settlement } from "./store.ts";

interface Deps {
  readonly db: Database;
  /** There is something to settle. */
  readonly onEnded: () => void;
  /** There is something to take anew for these. */
  readonly onGivenBack: (webhookIds: ReadonlySet<string>) => void;
}

/** The book of deliveries that have a row. What ends is kept here until it is written. */
export class ClaimedRows implements Book {
  readonly #parts: Deps;
  #ended: Settlement[] = [];
  readonly #givingBack = new Set<Promise<void>>();

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  has(): boolean {
    return true;
  }

  settle({ lease }: Held, ending: Ending): void {
    this.#ended.push({ ...lease!, ...ending });
    this.#parts.onEnded();
  }

  /** What cannot be given back comes due by itself when its lease ends. */
  giveBack(held: readonly Held[]): void {
    const leases = held.map(({ lease }): Lease => lease!);
    const givingBack = giveBackDeliveries(this.#parts.db, leases)
      .catch(() => undefined)
      .finally(() => {
        this.#givingBack.delete(givingBack);
        this.#parts.onGivenBack(new Set(held.map(({ webhookId }) => webhookId)));
      });
    this.#givingBack.add(givingBack);
  }

  /** Until all that is being given back is. */
  async givenBack(): Promise<void> {
    await Promise.all(this.#givingBack);
  }

  get hasEnded(): boolean {
    return this.#ended.length > 0;
  }

  take(most = Infinity): Settlement[] {
    return this.#ended.splice(0, most);
  }

  putBack(settlements: readonly Settlement[]): void {
    this.#ended.unshift(...settlements);
  }
}
