import type { AgentDriver } from "../driver.ts";
import { LeaseRun, type WorkerDeps } from "./lease-run.ts";

/** Agents on other machines that ask for tasks themselves: the work is handed over, and what comes back is applied, through the database. */
export function workerDriver(parts: WorkerDeps): AgentDriver {
  return {
    kind: "worker",
    // Whether a worker is there, it says itself.
    probe: async () => ({ isUsable: true, version: "" }),
    start: (work, host) => new LeaseRun(parts, work, host, undefined),
    resume: (handle, work, host) => new LeaseRun(parts, work, host, handle),
  };
}
