export { documentLimits } from "./document-limits.ts";
export { type FoundSandbox, findSandbox, type SandboxMode } from "./find-sandbox.ts";
export { limitMessage } from "./limit-message.ts";
export type {
  Network,
  ProcessEnd,
  ProcessLimits,
  ProcessOptions,
  ProcessOutcome,
  ResourceLimits,
  RunAccount,
} from "./process-options.ts";
export type { CommandEnd } from "./run-command.ts";
export { RunsTogether } from "./runs-together.ts";
export { createSandbox, Sandbox } from "./sandbox.ts";
export type { SandboxedProcess } from "./sandboxed-process.ts";
export type { SharedFolder } from "./shared-folder.ts";
export { freePort, type RunningServer, type ServerStarter, type StartedServer, startServer } from "./start-server.ts";
