import type { ProcessLimits, ProcessOutcome } from "./process-options.ts";
import type { TreeUse } from "./process-tree.ts";
import { tasksLeft } from "./tasks-left.ts";

const maxCheckMs = 250;
const minCheckMs = 25;
/** Of a core; a program that only waits uses less. */
const minBusyShare = 0.02;
const cpuWindowMs = 1_000;
/** Twice the connections of a deployment. All runs share the machine's ports, of which there are some 28,000 to choose. */
const maxSockets = 4_096;
/** All runs share those of the machine: 4,096 by default (`kernel.pty.max`), of which a thousand are kept for others. */
const maxTerminals = 256;
/**
 * Of all processes together. The machine has a number for everybody (`fs.file-max`, by default a hundred thousand a gigabyte
 * of memory), and each takes up to a kilobyte of the kernel, which counts for nobody.
 */
const maxFiles = 131_072;
/** Of all processes together: a quarter of a kilobyte of the kernel each, and each may hold a file that is closed. */
export const maxMappings = 524_288;
/**
 * Eight times as many as sockets. The kernel gives each user so many in all (`fs.epoll.max_user_watches`, 220 thousand a gigabyte of
 * memory), and Node ends where it gets none: where root does not run the service, its programs share its own.
 */
export const maxWatches = 32_768;

/**
 * Half of what the kernel gives a user by default (`fs.inotify.max_user_instances`), which many systems raise to thousands. Each
 * keeps up to 16,384 events that nobody reads, half a kilobyte each, which count for nobody.
 */
const maxNotifiers = 64;

/** Who has fewer processes and threads is not to blame where the machine has none left: many others have them. */
const minCrowd = 256;

/** What the watch knows of a run after its last check. */
export interface Observation {
  readonly atMs: number;
  readonly use: TreeUse;
  /** When it last wrote output or used the CPU. */
  readonly activeAtMs: number;
  /** The beginning of the present CPU window. */
  readonly countedFrom: { readonly atMs: number; readonly cpuSeconds: number };
}

/** Of a run that nobody can look at. */
export const noUse: TreeUse = {
  ...{ memoryBytes: 0, cpuSeconds: 0, processes: 1, crowd: 0 },
  ...{ files: 0, sockets: 0, terminals: 0, watches: 0, notifiers: 0, mappings: 0, hidden: 0, costMs: 0 },
};

export function firstObservation(atMs: number): Observation {
  return { atMs, use: noUse, activeAtMs: atMs, countedFrom: { atMs, cpuSeconds: 0 } };
}

interface Measurement {
  readonly atMs: number;
  readonly use: TreeUse;
  readonly outputAtMs: number;
}

/** Combines the last observation with a new measurement. */
export function observe(
  last: Observation,
  { atMs, use, outputAtMs }: Measurement,
  { idleMs = cpuWindowMs }: ProcessLimits,
): Observation {
  const { countedFrom } = last;
  const countedMs = atMs - countedFrom.atMs;
  const activeAtMs = Math.max(last.activeAtMs, outputAtMs);
  // The kernel counts in hundredths of a second, so that a shorter window would tell nothing.
  if (countedMs < Math.min(cpuWindowMs, idleMs / 2)) return { atMs, use, activeAtMs, countedFrom };
  const share = (use.cpuSeconds - countedFrom.cpuSeconds) / (countedMs / 1_000);
  const counted = { atMs, cpuSeconds: use.cpuSeconds };
  return { atMs, use, activeAtMs: share >= minBusyShare ? atMs : activeAtMs, countedFrom: counted };
}

/** Which limit the run breaks; undefined while it keeps all of them. */
export function breach(
  { atMs, use, activeAtMs }: Observation,
  limits: ProcessLimits,
  countLeft = tasksLeft,
): ProcessOutcome | undefined {
  const { memoryBytes: limitBytes, processes, idleMs } = limits;
  if (use.memoryBytes > limitBytes) return { is: "memory", usedBytes: use.memoryBytes, limitBytes };
  if (use.processes > processes) return { is: "processes", used: use.processes, limit: processes };
  if (use.crowd > minCrowd && use.crowd > countLeft()) return { is: "crowd", used: use.crowd };
  if (use.hidden > 0) return { is: "hidden", used: use.hidden };
  const held = breachOfHeld(use);
  if (held !== undefined) return held;
  if (idleMs !== undefined && atMs - activeAtMs > idleMs) return { is: "stalled" };
  return undefined;
}

/** What its processes hold together, in the order in which it is judged. */
const maxHeld = {
  files: maxFiles,
  sockets: maxSockets,
  terminals: maxTerminals,
  watches: maxWatches,
  notifiers: maxNotifiers,
  mappings: maxMappings,
} as const;

type Held = Readonly<Record<keyof typeof maxHeld, number>>;

/** Which limit is broken of those that are the same for all programs; undefined while all are kept. */
export function breachOfHeld(held: Held): ProcessOutcome | undefined {
  for (const [name, limit] of Object.entries(maxHeld)) {
    const is = name as keyof typeof maxHeld;
    if (held[is] > limit) return { is, used: held[is], limit };
  }
  return undefined;
}

/** How long to wait for the next check: at most halfway to where the present growth reaches a limit. */
export function nextCheckMs(before: Observation, now: Observation, limits: ProcessLimits): number {
  const passedMs = Math.max(1, now.atMs - before.atMs);
  const untilReached = (was: number, is: number, limit: number) =>
    is <= was ? Number.POSITIVE_INFINITY : ((limit - is) / (is - was)) * passedMs;
  // Each new process may start others.
  const multiplied = (use: TreeUse) => Math.log(Math.max(1, use.processes));
  const reachedMs = Math.min(
    untilReached(before.use.memoryBytes, now.use.memoryBytes, limits.memoryBytes),
    untilReached(before.use.files, now.use.files, maxFiles),
    untilReached(multiplied(before.use), multiplied(now.use), Math.log(limits.processes)),
  );
  // All runs are checked at the same moments, because they share most of the cost of a check.
  const calmMs = maxCheckMs - (now.atMs % maxCheckMs);
  const wantedMs = Math.max(minCheckMs, Math.min(calmMs, reachedMs / 2));
  // Exact measurements are expensive: at most a tenth of the time goes into them.
  return Math.max(wantedMs, Math.min(maxCheckMs, now.use.costMs * 10));
}
