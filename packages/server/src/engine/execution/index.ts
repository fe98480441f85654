export { Directory } from "./agent-directory.ts";
export type { AgentPermissions, PermissionQuestion } from "./ask-agent.ts";
export { limitsOf, processLimits } from "./ask-agent.ts";
export { runTask } from "./run-task.ts";
export { verifyPhase } from "./verify-phase.ts";
