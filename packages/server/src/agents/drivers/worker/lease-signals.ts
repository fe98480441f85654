import { Signals } from "../../../platform/wake-up/index.ts";

/** The channel on which nodes tell each other of leases. */
export const leasesChannel = "slipway_leases";

/** Wakes who waits: for a task, by the agent's id; for what a worker says, by the lease's. On this node and on others. */
export class LeaseSignals extends Signals {
  readonly #wakeOthers: (id: string) => void;
  #isLeaving = false;

  constructor(wakeOthers: (id: string) => void) {
    super();
    this.#wakeOthers = wakeOthers;
  }

  tell(id: string): void {
    this.signal(id);
    this.#wakeOthers(id);
  }

  /** The service stops: workers go on without it, and are met again by who comes next. */
  leave(): void {
    this.#isLeaving = true;
    this.signalAll();
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }
}
