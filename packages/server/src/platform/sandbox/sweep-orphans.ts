import { setTimeout as delay } from "node:timers/promises";
import {
  allPids,
  homeMarker,
  isAlive,
  markerIn,
  type Process,
  ProcessTable,
  readEnvironment,
  readStat,
  runMarker,
  signalProcess,
} from "./process-table.ts";

interface ToSweep {
  /** Which installation this is: only its processes are ended. */
  readonly installation: string;
  /** Runs that are under way here. */
  readonly isLive: (runId: string) => boolean;
}

/** Ends what an earlier service has left running, and all that it started; gives how many there were. */
export async function sweepOrphans({ installation, isLive }: ToSweep): Promise<number> {
  if (!ProcessTable.isHere) return 0;
  const ended = new Map<number, Process>();
  for (;;) {
    const orphans = findOrphans({ installation, isLive });
    for (const one of orphans) signalProcess(one, "SIGSTOP");
    const isAnyNew = orphans.some(({ pid, startTicks }) => ended.get(pid)?.startTicks !== startTicks);
    for (const one of orphans) ended.set(one.pid, one);
    // Nobody new: all of them stand still, none can leave a child behind.
    if (isAnyNew) continue;
    for (const one of orphans) signalProcess(one, "SIGKILL");
    if (![...ended.values()].some(isAlive)) return ended.size;
    await delay(5);
  }
}

/** By their markers, and whoever descends from those. */
function findOrphans({ installation, isLive }: ToSweep): Process[] {
  const stats = allPids().map(readStat);
  const found = new Map<number, Process>();
  for (const stat of stats) {
    if (stat === undefined || stat.isDead || stat.pid === process.pid) continue;
    const environment = readEnvironment(stat.pid);
    if (markerIn(environment, homeMarker) !== installation) continue;
    const runId = markerIn(environment, runMarker);
    if (runId !== undefined && !isLive(runId)) found.set(stat.pid, stat);
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const stat of stats) if (stat && !stat.isDead && found.has(stat.parent)) found.set(stat.pid, stat);
  }
  return [...found.values()];
}
