export { type AgentSettings, readAgentSettings } from "./agent-settings.ts";
export { type AgentActivity, showStatus } from "./agent-status.ts";
export {
  type AgentRow,
  deleteRegisteredAgent,
  drainAgent,
  effectiveCapabilities,
  everyRoleKind,
  findAgent,
  findLastError,
  insertAgent,
  type KnownAgent,
  selectActivity,
  selectAgents,
  selectAgentUsage,
  selectBusySeconds,
  selectKnownAgents,
  selectUserNames,
} from "./agent-store.ts";
export { declaredAgent } from "./declared-agent.ts";
export { noteWorker, type RegisteredRow } from "./presence-store.ts";
export { defaultProbeLimits, probeWithin } from "./probes.ts";
export { registeredAgent } from "./registered-agent.ts";
export { Registry } from "./registry.ts";
export type { RunnableAgent } from "./runnable-agent.ts";
