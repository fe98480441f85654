export { type ReportSources, reportPath } from "./acceptance-report.ts";
export { Directory } from "./agent-directory.ts";
export { limitsOf, processLimits } from "./agent-limits.ts";
export type { AgentPermissions, PermissionQuestion } from "./agent-permissions.ts";
export { answerByPerson, openLines } from "./answer-by-person.ts";
export type { FindSecrets } from "./find-secrets.ts";
export { runTask, type TaskDeps } from "./run-task.ts";
export { secretsToKeep } from "./secrets-to-keep.ts";
export { verifyPhase } from "./verify-step.ts";
