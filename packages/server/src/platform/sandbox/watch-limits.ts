import type { ProcessLimits, ProcessOutcome } from "./process-options.ts";
import type { TreeUse } from "./process-tree.ts";

const slowMs = 250;
const quickMs = 25;
/** A part of a core; less is what a program does that only waits. */
const computing = 0.02;
const countMs = 1_000;

/** What was last seen of a run. */
export interface Sight {
  readonly atMs: number;
  readonly use: TreeUse;
  /** When it last wrote something or computed. */
  readonly activeAtMs: number;
  /** Since when computing is counted. */
  readonly countedFrom: { readonly atMs: number; readonly cpuSeconds: number };
}

export function firstSight(atMs: number): Sight {
  const use = { memoryBytes: 0, cpuSeconds: 0, processes: 1, costMs: 0 };
  return { atMs, use, activeAtMs: atMs, countedFrom: { atMs, cpuSeconds: 0 } };
}

interface Seen {
  readonly atMs: number;
  readonly use: TreeUse;
  readonly outputAtMs: number;
}

/** Takes in what was measured, and when the run last wrote something. */
export function look(last: Sight, { atMs, use, outputAtMs }: Seen, { idleMs = countMs }: ProcessLimits): Sight {
  const { countedFrom } = last;
  const countedMs = atMs - countedFrom.atMs;
  const activeAtMs = Math.max(last.activeAtMs, outputAtMs);
  // The kernel counts in hundredths of a second: a share is known only after a while.
  if (countedMs < Math.min(countMs, idleMs / 2)) return { atMs, use, activeAtMs, countedFrom };
  const share = (use.cpuSeconds - countedFrom.cpuSeconds) / (countedMs / 1_000);
  const counted = { atMs, cpuSeconds: use.cpuSeconds };
  return { atMs, use, activeAtMs: share >= computing ? atMs : activeAtMs, countedFrom: counted };
}

/** Why the run must end now; nothing while it keeps its limits. */
export function breach({ atMs, use, activeAtMs }: Sight, limits: ProcessLimits): ProcessOutcome | undefined {
  const { memoryBytes: limitBytes, processes, idleMs } = limits;
  if (limitBytes !== undefined && use.memoryBytes > limitBytes)
    return { is: "memory", usedBytes: use.memoryBytes, limitBytes };
  if (processes !== undefined && use.processes > processes)
    return { is: "processes", used: use.processes, limit: processes };
  if (idleMs !== undefined && atMs - activeAtMs > idleMs) return { is: "stalled" };
  return undefined;
}

/** When to look again: at the latest halfway to where the present growth would reach a limit. */
export function nextLookMs(before: Sight, now: Sight, limits: ProcessLimits): number {
  const passedMs = Math.max(1, now.atMs - before.atMs);
  const untilReached = (was: number, is: number, limit: number | undefined) =>
    limit === undefined || is <= was ? Number.POSITIVE_INFINITY : ((limit - is) / (is - was)) * passedMs;
  const reachedMs = Math.min(
    untilReached(before.use.memoryBytes, now.use.memoryBytes, limits.memoryBytes),
    untilReached(before.use.processes, now.use.processes, limits.processes),
  );
  // All runs are looked at in the same moments: most of what a look costs is shared.
  const calmMs = slowMs - (now.atMs % slowMs);
  const wantedMs = Math.max(quickMs, Math.min(calmMs, reachedMs / 2));
  // Careful measuring is costly: no more than a tenth of the time goes into it.
  return Math.max(wantedMs, Math.min(slowMs, now.use.costMs * 10));
}
