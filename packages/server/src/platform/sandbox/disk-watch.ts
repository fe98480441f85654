import { setTimeout as delay } from "node:timers/promises";
import type { DiskPart } from "../disk-space.ts";
import { type DiskRoom, roomOn, unknownRoom } from "./disk-room.ts";
import type { DiskMeter } from "./folder-size.ts";
import type { DiskOutcome } from "./process-options.ts";
import { growthUntil, maxLookShare, mayBeTooLarge, noGrowth } from "./unseen-growth.ts";

const quickMs = 100;
const slowMs = 1_000;
const maxSlowMs = 30_000;

interface Look {
  readonly used: number;
  /** Why the run is to end, if it is. */
  readonly outcome?: DiskOutcome;
}

/** Watches what a run takes of its disks, from its beginning to its end. */
export class DiskWatch {
  readonly #meter: DiskMeter;
  readonly #limit: number;
  #reserves: readonly Reserve[];

  constructor(meter: DiskMeter, limit: number) {
    this.#meter = meter;
    this.#limit = limit;
    this.#reserves = meter.disks.map((disk) => new Reserve(disk, unknownRoom));
  }

  /** Notes what the disks have, and what there is of folders that others use too, before the run writes to them. */
  async begin(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.#meter.begin(signal);
    const { disks } = this.#meter;
    this.#reserves = await Promise.all(disks.map(async (disk) => new Reserve(disk, await roomOn(disk, signal))));
  }

  /** Whether the run exceeds its limit, or has taken the last of a disk: also after its end, for it may have been quick. */
  async look(signal: AbortSignal, { isOver = false } = {}): Promise<Look> {
    const use = await this.#meter.measureUse(signal, { isOver });
    if (use === undefined) return { used: 0 };
    const used = use.counted;
    const limit = this.#limit;
    if (used > limit) return { used, outcome: { is: "disk", used, limit } };
    for (const [index, reserve] of this.#reserves.entries()) {
      const part = use.ofDisks[index]!;
      const isTooMuch = reserve.isTakenBy(part, await roomOn(reserve.disk, signal));
      if (isTooMuch) return { used, outcome: { is: "full_disk", used: part.counted } };
    }
    return { used };
  }

  /** No process of the run is left, and nobody will look any more. */
  end(): void {
    this.#meter.leave();
  }

  /** Polls until the run is to end; undefined after an abort. The run's use of cores tells when it cannot have written much. */
  async waitUntilTooLarge(signal: AbortSignal, cpuSeconds: () => number = () => 0): Promise<DiskOutcome | undefined> {
    let [lastBytes, calmMs] = [-1, slowMs];
    while (!signal.aborted) {
      let unseen = noGrowth(await this.#rooms(signal), cpuSeconds());
      const start = performance.now();
      const { used, outcome } = await this.look(signal);
      if (outcome !== undefined) return outcome;
      // Programs that are live write little for months.
      calmMs = used === lastBytes ? Math.min(maxSlowMs, 2 * calmMs) : slowMs;
      lastBytes = used;
      const endMs = performance.now();
      const tookMs = endMs - start;
      const until = endMs + Math.max(calmMs, tookMs / maxLookShare);
      const left = this.#limit - used;
      while (performance.now() < until) {
        await delay(Math.max(quickMs, calmMs / 30), undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return undefined;
        unseen = growthUntil(unseen, await this.#rooms(signal), cpuSeconds());
        if (mayBeTooLarge(unseen, { left, tookMs, agoMs: performance.now() - endMs })) break;
      }
    }
    return undefined;
  }

  #rooms(signal: AbortSignal): Promise<DiskRoom[]> {
    return Promise.all(this.#reserves.map(({ disk }) => roomOn(disk, signal)));
  }
}

/** What is left of a disk for the service, of which a run may take only a part. */
class Reserve {
  readonly disk: string;
  readonly #roomAtFirst: DiskRoom;
  /** What the run had taken when others had room, or at first. */
  #fair: DiskPart | undefined;

  constructor(disk: string, roomAtFirst: DiskRoom) {
    this.disk = disk;
    this.#roomAtFirst = roomAtFirst;
  }

  isTakenBy(use: DiskPart, now: DiskRoom): boolean {
    // A quick program has filled the disk before it is looked at; a busy disk may not answer at first.
    if (now.isLow) this.#fair ??= useBefore(use, this.#roomAtFirst, now);
    else if (now.isKnown) this.#fair = use;
    return this.#fair !== undefined && takesReserve(this.#fair, use, now);
  }
}

/** What a run had taken before all that is gone of the disk since, if that was the run; all of it if nobody knows. */
function useBefore(use: DiskPart, roomBefore: DiskRoom, now: DiskRoom): DiskPart {
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
