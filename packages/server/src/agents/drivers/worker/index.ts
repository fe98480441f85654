export { workerDriver } from "./driver.ts";
export { LeaseSignals, leasesChannel } from "./lease-signals.ts";
export {
  addEvents,
  areTooManyUnread,
  type ClaimedLease,
  claimLease,
  completeLease,
  findLease,
  lockLease,
  releaseLease,
  removeOldLeases,
  renewLease,
  type WorkerLease,
} from "./lease-store.ts";
export { claimedTask } from "./offered-work.ts";
export { toWorkerEvent, type UnnumberedEvent } from "./worker-event.ts";
