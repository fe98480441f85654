export { type FoundSandbox, findSandbox, type SandboxMode } from "./find-sandbox.ts";
export { memoryLimitMessage } from "./memory-message.ts";
export type { Network, ProcessEnd, ProcessLimits, ProcessOptions } from "./process-options.ts";
export type { RunningCommand } from "./run-command.ts";
export { createSandbox, Sandbox } from "./sandbox.ts";
export type { SandboxedProcess } from "./sandboxed-process.ts";
export type { SharedFolder } from "./shared-folder.ts";
