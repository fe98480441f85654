export type { AgentHere } from "./agent-here.ts";
export { agentOf } from "./agent-of.ts";
export type { AgentReport } from "./agent-run.ts";
export { type AgentSettings, readAgentSettings } from "./agent-settings.ts";
export { cageLimits, limitsOf } from "./ask-agent.ts";
export { blueprintDriver, blueprintDriverWith } from "./blueprint.ts";
export { cagedHost } from "./caged-host.ts";
export { hasAll } from "./choose-agent.ts";
export { Directory } from "./directory.ts";
export { createRunRecords } from "./record/run-book.ts";
export { isRunOpen } from "./record/store.ts";
export { registeredAgent } from "./registered-agent.ts";
export { probeWithin, type RegisteredRow, Registry, usualProbeLimits } from "./registry/index.ts";
export { agentRoutes } from "./routes.ts";
export { runTask } from "./run-task.ts";
export { type SimpleWork, simpleDriver } from "./simple-driver.ts";
export { findAgent, findLastError, selectKnownAgents } from "./store.ts";
export { supervise } from "./supervisor.ts";
export {
  eventsOfLog,
  LeaseSignals,
  leasesChannel,
  removeOldLeases,
  requireUploadLease,
  type UnnumberedEvent,
  workerDriver,
  workerRoutes,
} from "./worker/index.ts";
