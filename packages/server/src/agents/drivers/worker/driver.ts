import type { AgentDriver } from "../driver.ts";
import { LeaseRun, type WorkerDeps } from "./lease-run.ts";

/** Offers tasks, through the database, to workers on other machines, and applies the patches that they send back. */
export function workerDriver(deps: WorkerDeps): AgentDriver {
  return {
    kind: "worker",
    // Workers report their own presence.
    probe: async () => ({ isUsable: true, version: "" }),
    start: (work, host) => new LeaseRun(deps, work, host, undefined),
    resume: (handle, work, host) => new LeaseRun(deps, work, host, handle),
  };
}
