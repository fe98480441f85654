import { isRunning, thisProcess } from "../process/index.ts";

/** Names who starts runs: the installation, and the process, for several nodes may share a data folder. */
export function ownName(installation: string): string {
  const { pid, startedAt } = thisProcess();
  return `${installation}-${pid.toString(36)}-${startedAt.toString(36)}`;
}

/** Whether the process of such a name has another id than ours, and runs. */
export function isOfAnother(name: string): boolean {
  const [, pid, startedAt] = /-([0-9a-z]+)-([0-9a-z]+)$/.exec(name) ?? [];
  if (pid === undefined || startedAt === undefined || parseInt(pid, 36) === process.pid) return false;
  return isRunning({ pid: parseInt(pid, 36), startedAt: parseInt(startedAt, 36) });
}
