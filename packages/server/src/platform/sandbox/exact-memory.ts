import { uptime } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { anonymousIn, proportionalMemory, residentBytes, residentIn, statusOf } from "./process-memory.ts";
import { isAlive, readStat, type Stat, ticksPerSecond, waitingThreads } from "./process-stat.ts";
import type { Share } from "./shared-pages.ts";

/** How long a process may share all memory of its parent before it executes another program. */
const copyKnownMs = 250;
const pollMs = 10;

export interface PlainMemory {
  /** Files in memory, whether a process maps them or not. */
  readonly inMemoryBytes: number;
  /** Smaller processes are not measured exactly. */
  readonly minBytes: number;
}

interface ExactMemory {
  readonly bytes: number;
  /** What each process shares with others. */
  readonly shares: readonly Share[];
  /** What processes have of files in memory, which count as such. */
  readonly mappedBytes: number;
}

/**
 * What processes use together, if what they share counts once. Reads one after another: a read may wait for its process, and
 * others need the threads of the service too.
 */
export async function exactMemory(
  processes: readonly Stat[],
  { inMemoryBytes, minBytes }: PlainMemory,
): Promise<ExactMemory> {
  let [exact, mapped] = [0, 0];
  const shares: Share[] = [];
  for (const { pid } of processes) {
    // Before it is measured: what it writes to meanwhile is no longer shared.
    const process = readStat(pid);
    if (process === undefined) continue;
    const status = statusOf(process);
    const resident = residentIn(status);
    const isSmall = resident < minBytes;
    const told = isSmall ? { bytes: resident, sharedBytes: 0 } : await proportionalMemory(process.thread);
    // The thread that it was to be read of has ended, and others go on.
    const isUntold = told.bytes === 0 && process.thread !== pid && isAlive(process);
    const bytes = isUntold ? resident : told.bytes;
    exact += bytes;
    mapped += told.sharedBytes;
    if (resident > bytes) shares.push({ process, bytes: resident - bytes, anonymousBytes: anonymousIn(status) });
  }
  const mappedBytes = Math.min(inMemoryBytes, mapped);
  return { bytes: exact + inMemoryBytes - mappedBytes, shares, mappedBytes };
}

/**
 * Children that may have the very memory of their parent: no more than threads of it wait, as that of a `vfork` does. What
 * a `fork` has made counts at once, for it may end before it executes anything.
 */
export function sharingCopies(processes: readonly Stat[], { minBytes }: PlainMemory): ReadonlySet<Stat> {
  const fresh = processes.filter(isFreshCopy).map((copy) => ({ copy, bytes: residentBytes(copy.thread) }));
  const large = fresh.filter(({ bytes }) => bytes >= minBytes).toSorted((a, b) => a.bytes - b.bytes);
  const byParent = [...Map.groupBy(large, ({ copy }) => copy.parent)];
  const sharing = byParent.flatMap(([parent, copies]) => copies.slice(0, waitingThreads(parent)));
  return new Set(sharing.map(({ copy }) => copy));
}

/**
 * Between `vfork` and `exec`, a child has the very memory of its parent, which the kernel counts as that of both: a program that
 * takes half of what it may, and only starts others, would have too much whenever it is looked at in that moment.
 */
export async function untilExecuted(copies: readonly Stat[]): Promise<void> {
  let left = copies;
  for (const until = performance.now() + copyKnownMs; left.length > 0 && performance.now() < until; ) {
    await delay(pollMs, undefined, { ref: false });
    left = left.filter((one) => isAlive(one) && (readStat(one.pid)?.isCopy ?? false));
  }
}

function isFreshCopy({ isCopy, startTicks }: Stat): boolean {
  return isCopy && 1_000 * (uptime() - startTicks / ticksPerSecond) < copyKnownMs;
}
