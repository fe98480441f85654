import { isRunning, thisProcess } from "../process/index.ts";

/** In the environment of programs that others may have to tell from left ones: names the process that started it. */
export const ownerMarker = "SLIPWAY_OWNER";

/** Names this process: several nodes may share a data folder. */
export function thisOwner(): string {
  const { pid, startedAt } = thisProcess();
  return `${pid.toString(36)}-${startedAt.toString(36)}`;
}

/** Names who starts runs: the installation, and the process. */
export function ownName(installation: string): string {
  return `${installation}-${thisOwner()}`;
}

/** Whether the process that a name ends with has another id than ours, and runs. */
export function isOfAnother(name: string): boolean {
  const [, pid, startedAt] = /\b([0-9a-z]+)-([0-9a-z]+)$/.exec(name) ?? [];
  if (pid === undefined || startedAt === undefined || parseInt(pid, 36) === process.pid) return false;
  return isRunning({ pid: parseInt(pid, 36), startedAt: parseInt(startedAt, 36) });
}
