import { readFile } from "node:fs/promises";
import { forkDepths } from "./fork-depths.ts";
import type { MappingCounter } from "./mapping-counter.ts";
import { anonymousIn, openFiles, statusOf } from "./process-memory.ts";
import { isAlive, type Process, readStat, type Stat, ticksPerSecond } from "./process-stat.ts";
import { allPids, isElsewhere, markerIn, ProcessTable } from "./process-table.ts";
import { ownerMarker } from "./run-owner.ts";
import { sum } from "./sum.ts";
import { findUnnamedFiles } from "./unnamed-files.ts";
import { maxMappings, maxWatches } from "./watch-limits.ts";

/** The living processes below another one, whatever session they have made for themselves. */
export function descendantsOf(root: number): readonly Stat[] {
  if (!ProcessTable.isSupported) return [];
  const all = allPids().flatMap((pid) => readStat(pid) ?? []);
  const byParent = Map.groupBy(all, ({ parent }) => parent);
  const found = [...(byParent.get(root) ?? [])];
  for (const { pid } of found) found.push(...(byParent.get(pid) ?? []));
  return found.filter(({ isDead }) => !isDead);
}

/** A process whose control groups bear a name; undefined if it is another's, as with engines in virtual machines. */
export async function findInControlGroup(pid: number, name: string): Promise<Process | undefined> {
  const found = readStat(pid);
  const groups = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
  return groups.includes(name) ? found : undefined;
}

/** What a process and those below it have used of cores, and hold open that is in no folder. The counter is that of earlier looks. */
export async function heldBelow(first: Process, counter: MappingCounter) {
  const stat = isAlive(first) ? readStat(first.pid) : undefined;
  const all = stat === undefined ? [] : [stat, ...descendantsOf(stat.pid)];
  const cpuSeconds = sum(all.map(({ cpuTicks }) => cpuTicks)) / ticksPerSecond;
  return { ...(await heldBy(all, counter)), cpuSeconds };
}

/** The same of these processes. */
export async function heldBy(processes: readonly Stat[], counter: MappingCounter) {
  const threads = processes.map(({ thread }) => thread);
  const most = { watches: maxWatches, mappings: maxMappings };
  const held = await findUnnamedFiles(threads, { most, depths: forkDepths(processes), counter });
  return { ...held, files: sum(threads.map(openFiles)) };
}

/**
 * The memory that these processes have of their own: the program that several execute counts for none. Nor does a copy that is
 * about to execute another one.
 */
export function ownMemory(processes: readonly Stat[]): number {
  return sum(processes.map((one) => (one.isCopy ? 0 : anonymousIn(statusOf(one)))));
}

/** A process, and the name of the one that started it; empty where its environment does not say. */
export interface OwnedProcess extends Process {
  readonly owner: string;
}

/** The leaders of sessions that were started with all of these arguments, among others. */
export async function findByArguments(wanted: readonly string[]): Promise<readonly OwnedProcess[]> {
  const found: OwnedProcess[] = [];
  for (const pid of ProcessTable.isSupported ? allPids() : []) {
    const stat = readStat(pid);
    if (stat?.session !== pid || stat.isDead || isElsewhere(pid)) continue;
    const args = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    if (!wanted.every((one) => args.includes(one))) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    found.push({ ...stat, owner: markerIn(environment, ownerMarker) ?? "" });
  }
  return found;
}
