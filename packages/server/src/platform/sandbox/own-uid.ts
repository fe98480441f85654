import { createHash, randomInt } from "node:crypto";

/** Uids that nothing else on the machine assigns. */
export interface UidRange {
  readonly first: number;
  readonly count: number;
}

/** Unassigned in systemd's table of uids: above those of containers, below those that break signed 32-bit numbers. */
const high: UidRange = { first: 1_900_000_000, count: 1 << 24 };
/** For containers, which map only 65,536 uids: unassigned too, and neither root (0) nor the database's user (65534). */
const low: UidRange = { first: 60_600, count: 580 };

/** The range that this machine or container maps; undefined when it maps none. */
export function findUidRange(uidMap: string): UidRange | undefined {
  const mapped = uidMap
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const isMapped = ({ first, count }: UidRange) =>
    mapped.some(([inside = 0, , length = 0]) => inside <= first && first + count <= inside + length);
  return [high, low].find(isMapped);
}

/** Assigns each run its own uid. */
export class OwnUids {
  /** One group for all runs, through which they share package caches. */
  readonly gid: number;
  readonly #range: UidRange;
  readonly #taken = new Set<number>();
  /** How many runs each account has now. */
  readonly #shared = new Map<number, number>();

  constructor(range: UidRange) {
    this.#range = range;
    this.gid = range.first;
  }

  allocate(): number {
    if (this.#taken.size >= this.#range.count - 1) throw new Error("all uids for sandboxed processes are in use");
    for (;;) {
      const uid = this.#range.first + randomInt(1, this.#range.count);
      if (this.#taken.has(uid)) continue;
      this.#taken.add(uid);
      return uid;
    }
  }

  /** The account's uid: always the same, so that it can change the files of its earlier runs. */
  share(account: string): number {
    const digest = createHash("sha256").update(account).digest().readUInt32BE();
    const uid = this.#range.first + 1 + (digest % (this.#range.count - 1));
    this.#shared.set(uid, (this.#shared.get(uid) ?? 0) + 1);
    this.#taken.add(uid);
    return uid;
  }

  release(uid: number): void {
    const others = (this.#shared.get(uid) ?? 1) - 1;
    if (others > 0) this.#shared.set(uid, others);
    else {
      this.#shared.delete(uid);
      this.#taken.delete(uid);
    }
  }
}
