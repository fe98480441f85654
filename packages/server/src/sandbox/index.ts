export type { Cage } from "./cage.ts";
export type { CageEnd, CageLimits, CageOptions, Network } from "./cage-options.ts";
export { type FoundSandbox, findSandbox, type SandboxMode } from "./find-sandbox.ts";
export { memoryLimitMessage } from "./memory-message.ts";
export type { RunningCommand } from "./run-command.ts";
export { createSandbox, Sandbox } from "./sandbox.ts";
