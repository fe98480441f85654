export { chooseAgent, hasAll, lackingOf, offers, type RoleNeeds } from "./choose-agent.ts";
export { blueprintDriver, blueprintDriverWith, outcomeOf } from "./drivers/blueprint/blueprint-driver.ts";
export type { AgentDriver, AgentEvent, AgentReport } from "./drivers/driver.ts";
export { type FunctionWork, functionDriver } from "./drivers/function-driver.ts";
export {
  addEvents,
  areTooManyUnread,
  type ClaimedLease,
  claimedTask,
  claimLease,
  completeLease,
  findLease,
  LeaseSignals,
  leasesChannel,
  lockLease,
  releaseLease,
  removeOldLeases,
  renewLease,
  toWorkerEvent,
  type UnnumberedEvent,
  type WorkerLease,
  workerDriver,
} from "./drivers/worker/index.ts";
export { promptFor } from "./prompt/prompt.ts";
export { createRunRecords, type RunRecords } from "./record/run-record.ts";
export { isRunOpen } from "./record/store.ts";
export {
  type AgentActivity,
  type AgentRow,
  type AgentSettings,
  declaredAgent,
  defaultProbeLimits,
  deleteRegisteredAgent,
  drainAgent,
  effectiveCapabilities,
  everyRoleKind,
  findAgent,
  findLastError,
  insertAgent,
  type KnownAgent,
  noteWorker,
  probeWithin,
  type RegisteredRow,
  Registry,
  type RunnableAgent,
  readAgentSettings,
  registeredAgent,
  selectActivity,
  selectAgents,
  selectAgentUsage,
  selectBusySeconds,
  selectKnownAgents,
  selectUserNames,
  showStatus,
} from "./registry/index.ts";
export { loggedFetch } from "./supervisor/logged-fetch.ts";
export { sandboxedHost } from "./supervisor/sandboxed-host.ts";
export { type AgentLimits, supervise } from "./supervisor/supervise.ts";
