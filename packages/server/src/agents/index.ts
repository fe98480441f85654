export { chooseAgent, hasAll } from "./choose-agent.ts";
export { blueprintDriver, blueprintDriverWith } from "./drivers/blueprint.ts";
export type { AgentDriver, AgentReport } from "./drivers/driver.ts";
export { type SimpleWork, simpleDriver } from "./drivers/function-driver.ts";
export {
  eventsOfLog,
  LeaseSignals,
  leasesChannel,
  removeOldLeases,
  type UnnumberedEvent,
  workerDriver,
} from "./drivers/worker/index.ts";
export {
  addEvents,
  completeLease,
  countEvents,
  findLease,
  type HeldLease,
  hearLease,
  lockLease,
  noteWorker,
  offerAgain,
  type TakenLease,
  takeLease,
} from "./drivers/worker/lease-store.ts";
export { claimedTask } from "./drivers/worker/offered-work.ts";
export { promptFor } from "./prompt/prompt.ts";
export { createRunRecords, type RunRecords } from "./record/run-record.ts";
export { isRunOpen } from "./record/store.ts";
export { type AgentSettings, readAgentSettings } from "./registry/agent-settings.ts";
export { type AgentActivity, showStatus } from "./registry/agent-status.ts";
export {
  type AgentRow,
  deleteRegisteredAgent,
  drainAgent,
  findAgent,
  findLastError,
  insertAgent,
  type KnownAgent,
  selectActivity,
  selectAgents,
  selectAgentUsage,
  selectKnownAgents,
  selectUserNames,
} from "./registry/agent-store.ts";
export { agentOf } from "./registry/declared-agent.ts";
export { probeWithin, type RegisteredRow, Registry, usualProbeLimits } from "./registry/index.ts";
export { registeredAgent } from "./registry/registered-agent.ts";
export type { AgentHere } from "./registry/runnable-agent.ts";
export { loggedCalls } from "./supervisor/logged-fetch.ts";
export { sandboxedHost } from "./supervisor/sandboxed-host.ts";
export { type AgentLimits, supervise } from "./supervisor/supervise.ts";
