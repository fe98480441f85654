import { Signals } from "../../../platform/wake-up/index.ts";

/** The database channel of lease signals between nodes. */
export const leasesChannel = "slipway_leases";

/** Wakes waiting code on every node: by the agent's id when a task is offered, by the lease's id when it changes. */
export class LeaseSignals extends Signals {
  readonly #wakeOthers: (id: string) => void;
  #isLeaving = false;

  constructor(wakeOthers: (id: string) => void) {
    super();
    this.#wakeOthers = wakeOthers;
  }

  notify(id: string): void {
    this.signal(id);
    this.#wakeOthers(id);
  }

  /** The service stops: workers continue without it, and the next process follows their leases. */
  leave(): void {
    this.#isLeaving = true;
    this.signalAll();
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }
}
