import { setTimeout as delay } from "node:timers/promises";
import { type DiskPart, type DiskRoom, roomOn, takenBetween, unknownRoom } from "./disk-room.ts";
import type { DiskMeter, DiskUse } from "./folder-size.ts";
import type { DiskOutcome } from "./process-options.ts";

const quickMs = 100;
const slowMs = 1_000;
const maxSlowMs = 30_000;

interface Look {
  readonly used: number;
  /** Why the run is to end, if it is. */
  readonly outcome?: DiskOutcome;
}

/** Watches what a run takes of its disk, from its beginning to its end. */
export class DiskWatch {
  readonly #meter: DiskMeter;
  readonly #limit: number;
  #roomAtFirst: DiskRoom = unknownRoom;
  /** What it had taken when others had room, or at first. */
  #fair: DiskPart | undefined;

  constructor(meter: DiskMeter, limit: number) {
    this.#meter = meter;
    this.#limit = limit;
  }

  /** Notes what the disk has before the run writes to it. */
  async begin(signal: AbortSignal): Promise<void> {
    this.#roomAtFirst = await roomOn(this.#meter.disk, signal);
  }

  /** Whether the run exceeds its limit, or has taken the last of the disk: also after its end, for it may have been quick. */
  async look(signal: AbortSignal): Promise<Look> {
    const use = await this.#meter.measureUse(signal);
    if (use === undefined) return { used: 0 };
    const used = use.counted;
    const limit = this.#limit;
    if (used > limit) return { used, outcome: { is: "disk", used, limit } };
    const now = await roomOn(this.#meter.disk, signal);
    // A quick program has filled the disk before it is looked at; a busy disk may not answer at first.
    if (now.isLow) this.#fair ??= useBefore(use, this.#roomAtFirst, now);
    else if (now.isKnown) this.#fair = use;
    const isTooMuch = this.#fair !== undefined && takesReserve(this.#fair, use, now);
    return { used, ...(isTooMuch && { outcome: { is: "full_disk", used } as const }) };
  }

  /** Polls until the run is to end; undefined after an abort. */
  async waitUntilTooLarge(signal: AbortSignal): Promise<DiskOutcome | undefined> {
    const { disk } = this.#meter;
    let [lastBytes, calmMs] = [-1, slowMs];
    while (!signal.aborted) {
      const before = await roomOn(disk, signal);
      const start = performance.now();
      const { used, outcome } = await this.look(signal);
      if (outcome !== undefined) return outcome;
      // Programs that are live write little for months.
      calmMs = used === lastBytes ? Math.min(maxSlowMs, 2 * calmMs) : slowMs;
      lastBytes = used;
      // Large folders are measured less often: at most a twentieth of the time goes into it.
      const until = performance.now() + Math.max(calmMs, 20 * (performance.now() - start));
      const left = this.#limit - used;
      while (performance.now() < until) {
        await delay(Math.max(quickMs, calmMs / 30), undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return undefined;
        if (mayBeTooLarge(before, await roomOn(disk, signal), left)) break;
      }
    }
    return undefined;
  }
}

/** What is free on the disk is cheap to read: a run is measured at once when that shrank by more than it may still take. */
function mayBeTooLarge(before: DiskRoom, now: DiskRoom, left: number): boolean {
  const answersAgain = before.bytes === Number.POSITIVE_INFINITY && now.bytes < before.bytes;
  return answersAgain || takenBetween(before, now) > (now.isLow ? Math.min(left, now.spareBytes) : left);
}

/** What a run had taken before all that is gone of the disk since, if that was the run; all of it if nobody knows. */
function useBefore(use: DiskUse, roomBefore: DiskRoom, now: DiskRoom): DiskPart {
  const before = (kind: keyof DiskPart) => {
    const taken = roomBefore[kind] - now[kind];
    return Number.isFinite(taken) ? use[kind] - Math.max(0, taken) : use[kind];
  };
  return { bytes: Math.max(0, before("bytes")), files: Math.max(0, before("files")) };
}

/** Only what is short counts: who writes bytes is not to blame for the last files. */
function takesReserve(fair: DiskPart, use: DiskPart, { spare }: DiskRoom): boolean {
  return use.bytes - fair.bytes > spare.bytes || use.files - fair.files > spare.files;
}
