import { setTimeout as delay } from "node:timers/promises";
import { exactMemory, type PlainMemory, sharingCopies, untilExecuted } from "./exact-memory.ts";
import { anonymousIn, residentIn, statusOf } from "./process-memory.ts";
import type { Stat } from "./process-stat.ts";
import { noShares, stillShared } from "./shared-pages.ts";
import { sum } from "./sum.ts";

interface MemoryUse {
  readonly memoryBytes: number;
  /** How long the exact measurement took. */
  readonly costMs: number;
}

interface Known {
  readonly limitBytes: number;
  /** What files in memory take up, which processes may map. */
  readonly inMemoryBytes: number;
  readonly cpuSeconds: number;
}

/** Above this share of the limit, shared pages count only once. */
const exactAboveShare = 0.7;
/** The amount of shared memory changes slowly; new memory mostly belongs to one process. */
const sharedKnownMs = 2_000;
/** What smaller processes share does not matter, unless they are many. */
const smallBytes = 8 << 20;
const smallShare = 0.1;
/** A program that works may fill all that it shared before in this time. */
const whileBusyKnownMs = 250;
const busyCpuSeconds = 0.1;
/** The exact measurement waits for processes that fork or that have no core; meanwhile the others are watched. */
const exactPatienceMs = 250;
/** When it takes longer, what the kernel tells at once is judged: a program can make every read of its memory wait. */
const exactLateMs = 1_000;

/** Measures the memory of a run: the plain sum of what its processes have, and near the limit what they have exactly. */
export class RunMemory {
  /** What processes shared at the last exact measurement. */
  #shares = noShares;
  /** What they had of files in memory. */
  #mappedBytes = 0;
  /** Until when that is not doubted: a program that makes exact measurements slow must not keep us at them. */
  #undoubtedUntilMs = Number.NEGATIVE_INFINITY;
  #sharedUntilMs = Number.NEGATIVE_INFINITY;
  /** While the run works, until when that is known. */
  #sharedWhileBusyUntilMs = Number.NEGATIVE_INFINITY;
  /** What the run had used when it began. */
  #sharedAtCpuSeconds = 0;
  /** The exact measurement that goes on. */
  #exact: Promise<number> | undefined;
  #exactSinceMs = 0;
  /** What one has found that ended after the look that waited for it: a run that forks all the time makes each one late. */
  #foundLate: number | undefined;

  async measure(living: readonly Stat[], { limitBytes, inMemoryBytes, cpuSeconds }: Known): Promise<MemoryUse> {
    const late = this.#foundLate ?? 0;
    this.#foundLate = undefined;
    if (late > limitBytes) return { memoryBytes: late, costMs: 0 };
    const now = living.map((process) => ({ process, status: statusOf(process) }));
    const resident = now.map(({ status }) => residentIn(status));
    const highest = sum(resident) + inMemoryBytes;
    const start = performance.now();
    const isBusy = cpuSeconds - this.#sharedAtCpuSeconds > busyCpuSeconds;
    const knownUntilMs = isBusy ? this.#sharedWhileBusyUntilMs : this.#sharedUntilMs;
    const shared = stillShared(this.#shares, now);
    const mappedBytes = Math.min(this.#mappedBytes, inMemoryBytes);
    const likely = highest - mappedBytes - shared.bytes;
    const most = start < this.#undoubtedUntilMs ? likely : highest - mappedBytes - shared.surely;
    const isSharedKnown = start < knownUntilMs && most <= limitBytes;
    if (highest <= exactAboveShare * limitBytes || isSharedKnown) return { memoryBytes: likely, costMs: 0 };
    const isCrowd = sum(resident.filter((bytes) => bytes < smallBytes)) > smallShare * limitBytes;
    if (this.#exact === undefined) {
      this.#exactSinceMs = start;
      this.#sharedAtCpuSeconds = cpuSeconds;
    }
    this.#exact ??= this.#measureExactly(living, { inMemoryBytes, minBytes: isCrowd ? 0 : smallBytes });
    const exact = await Promise.race([this.#exact, delay(exactPatienceMs, undefined, { ref: false })]);
    if (exact !== undefined) this.#foundLate = undefined;
    const isLate = performance.now() - this.#exactSinceMs > exactLateMs;
    // As long as it is not known, what may be shared is not judged; processes are.
    const least = isLate ? sum(now.map(({ status }) => anonymousIn(status))) + inMemoryBytes : 0;
    const memoryBytes = exact ?? Math.max(least, Math.min(limitBytes, likely));
    return { memoryBytes, costMs: performance.now() - start };
  }

  /** Finds out what its processes share, for which the plain sum is too high. */
  async #measureExactly(living: readonly Stat[], plain: PlainMemory): Promise<number> {
    const sharing = sharingCopies(living, plain);
    const others = living.filter((one) => !sharing.has(one));
    let start = performance.now();
    const first = await exactMemory(others, plain);
    let tookMs = performance.now() - start;
    await untilExecuted([...sharing]);
    start = performance.now();
    const last = await exactMemory([...sharing], { ...plain, inMemoryBytes: 0 });
    tookMs += performance.now() - start;
    const bytes = first.bytes + last.bytes;
    this.#shares = [...first.shares, ...last.shares];
    this.#mappedBytes = first.mappedBytes;
    this.#undoubtedUntilMs = performance.now() + Math.max(whileBusyKnownMs, tookMs);
    this.#sharedUntilMs = start + sharedKnownMs;
    this.#sharedWhileBusyUntilMs = start + Math.max(whileBusyKnownMs, 5 * tookMs);
    this.#exact = undefined;
    this.#foundLate = bytes;
    return bytes;
  }
}
