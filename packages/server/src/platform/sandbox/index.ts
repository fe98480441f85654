export { cappedOutput } from "./capped-output.ts";
export { descendantsOf, findByArguments, findInControlGroup, heldBelow, heldBy, ownMemory } from "./descendants.ts";
export { roomOn, takenBetween } from "./disk-room.ts";
export { DiskWatch } from "./disk-watch.ts";
export { documentLimits } from "./document-limits.ts";
export type { FoundSandbox, SandboxMode } from "./find-sandbox.ts";
export { DiskMeter } from "./folder-size.ts";
export { JoinedStreams } from "./joined-streams.ts";
export { limitMessage, timeMessage } from "./limit-message.ts";
export { listensAt } from "./listening-sockets.ts";
export { measureCost } from "./look-cost.ts";
export { MappingCounter } from "./mapping-counter.ts";
export {
  type MemoryGroup,
  memoryGroupOf,
  memoryKillsIn,
  memoryKillsOfMachine,
  memoryUsedIn,
} from "./memory-group.ts";
export { whyUnreached } from "./no-network.ts";
export {
  type HeldAccount,
  type Network,
  type ProcessEnd,
  type ProcessLimits,
  type ProcessOptions,
  type ProcessOutcome,
  type ResourceLimits,
  type RunAccount,
  threadsPerProcess,
} from "./process-options.ts";
export { isAlive, type Process, readStat, type Stat, signalProcess } from "./process-stat.ts";
export {
  type CommandEnd,
  type CommandLimits,
  type CommandToRun,
  RunningCommand,
  type RunningProcess,
  runCommand,
} from "./run-command.ts";
export { isOfAnother, ownerMarker, thisOwner } from "./run-owner.ts";
export { RunsTogether } from "./runs-together.ts";
export { createSandbox, Sandbox } from "./sandbox.ts";
export type { SandboxedProcess } from "./sandboxed-process.ts";
export type { SharedFolder } from "./shared-folder.ts";
export {
  type CommandStarter,
  freePort,
  type RunningServer,
  type StartedServer,
  startServer,
  statusOf,
  takenPort,
  whyServerEnded,
} from "./start-server.ts";
export { breachOfHeld } from "./watch-limits.ts";
