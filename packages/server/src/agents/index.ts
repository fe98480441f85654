export { type AgentActivity, showStatus } from "./activity.ts";
export type { AgentHere } from "./agent-here.ts";
export { agentOf } from "./agent-of.ts";
export type { AgentDriver, AgentReport } from "./agent-run.ts";
export { type AgentSettings, readAgentSettings } from "./agent-settings.ts";
export { chooseAgent, hasAll } from "./choose-agent.ts";
export { blueprintDriver, blueprintDriverWith } from "./drivers/blueprint.ts";
export { type SimpleWork, simpleDriver } from "./drivers/simple-driver.ts";
export {
  eventsOfLog,
  LeaseSignals,
  leasesChannel,
  removeOldLeases,
  type UnnumberedEvent,
  workerDriver,
} from "./drivers/worker/index.ts";
export { claimedTask } from "./drivers/worker/offered-work.ts";
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
} from "./drivers/worker/store.ts";
export { loggedCalls } from "./logged-calls.ts";
export { promptFor } from "./prompt/prompt.ts";
export { createRunRecords, type RunRecords } from "./record/run-record.ts";
export { isRunOpen } from "./record/store.ts";
export { registeredAgent } from "./registered-agent.ts";
export { probeWithin, type RegisteredRow, Registry, usualProbeLimits } from "./registry/index.ts";
export { sandboxedHost } from "./sandboxed-host.ts";
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
} from "./store.ts";
export { type AgentLimits, supervise } from "./supervisor.ts";
