export { workerDriver } from "./driver.ts";
export { LeaseSignals, leasesChannel } from "./lease-signals.ts";
export { removeOldLeases } from "./lease-store.ts";
export { eventsOfLog, type UnnumberedEvent } from "./worker-event.ts";
