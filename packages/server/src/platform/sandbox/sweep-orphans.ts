import { setTimeout as delay } from "node:timers/promises";
import { isAlive, type Process, readStat, signalProcess } from "./process-stat.ts";
import {
  allPids,
  homeMarker,
  isElsewhere,
  markerIn,
  ProcessTable,
  readEnvironment,
  runMarker,
} from "./process-table.ts";

interface SweepOptions {
  /** Only processes of this installation are ended. */
  readonly installation: string;
  /** Whether a run is in flight, and not left; `owner` names the process that started it. */
  readonly isLive: (runId: string, owner: string) => boolean;
  readonly limitMs?: number;
}

/** On a busy machine, the memory of large processes takes seconds to be gone. */
const maxWaitMs = 30_000;

/**
 * Ends the processes that an earlier service left, with their descendants; returns how many there were. One that waits for a
 * disk ends when that answers, perhaps never: it is not waited for, and does nothing more on its own.
 */
export async function sweepOrphans({ installation, isLive, limitMs = maxWaitMs }: SweepOptions): Promise<number> {
  if (!ProcessTable.isSupported) return 0;
  const until = performance.now() + limitMs;
  const ended = new Map<number, Process>();
  for (;;) {
    const orphans = findOrphans({ installation, isLive });
    for (const one of orphans) signalProcess(one, "SIGSTOP");
    const isAnyNew = orphans.some(({ pid, startTicks }) => ended.get(pid)?.startTicks !== startTicks);
    for (const one of orphans) ended.set(one.pid, one);
    // None is new: all are stopped, so none can fork meanwhile.
    if (isAnyNew) continue;
    for (const one of orphans) signalProcess(one, "SIGKILL");
    if (![...ended.values()].some(isAlive) || performance.now() > until) return ended.size;
    await delay(5);
  }
}

/** Finds them by the markers in their environment, and their descendants. */
function findOrphans({ installation, isLive }: SweepOptions): Process[] {
  const stats = allPids().map(readStat);
  const found = new Map<number, Process>();
  for (const stat of stats) {
    if (stat === undefined || stat.isDead || stat.pid === process.pid) continue;
    if (isElsewhere(stat.thread)) continue;
    const environment = readEnvironment(stat.thread);
    const owner = markerIn(environment, homeMarker) ?? "";
    if (owner.split("-", 1)[0] !== installation) continue;
    const runId = markerIn(environment, runMarker);
    if (runId !== undefined && !isLive(runId, owner)) found.set(stat.pid, stat);
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const stat of stats) if (stat && !stat.isDead && found.has(stat.parent)) found.set(stat.pid, stat);
  }
  return [...found.values()];
}
