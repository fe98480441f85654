import { type DiskRoom, takenBetween } from "./disk-room.ts";

/** What a core writes to files in memory in a second, twice over. */
const maxBytesPerCpuSecond = 8 * 2 ** 30;
/** A run that only works, of which nothing else tells that it has grown, is measured no more often. */
const whileWorkingMs = 3_000;
/** At most a twentieth of the time goes into measuring large folders. */
export const maxLookShare = 1 / 20;

/** What tells, without measuring a run, how far it may have grown since it was measured. */
export interface UnseenGrowth {
  /** What was last known of each disk. */
  readonly rooms: readonly DiskRoom[];
  /** Of each disk, by whomever. What is freed meanwhile is not taken off: that may be others'. */
  readonly takenBytes: readonly number[];
  /** A disk that said nothing when the run was measured. */
  readonly answersAgain: boolean;
  /** What the run has used of cores: what is written and freed at the same time changes no disk. */
  readonly workedSeconds: number;
  readonly cpuSeconds: number;
}

export function noGrowth(rooms: readonly DiskRoom[], cpuSeconds: number): UnseenGrowth {
  return { rooms, takenBytes: rooms.map(() => 0), answersAgain: false, workedSeconds: 0, cpuSeconds };
}

/** Adds what has changed since. */
export function growthUntil(before: UnseenGrowth, rooms: readonly DiskRoom[], cpuSeconds: number): UnseenGrowth {
  return {
    rooms: rooms.map((room, index) => (room.isKnown ? room : before.rooms[index]!)),
    takenBytes: rooms.map((room, index) => before.takenBytes[index]! + takenBetween(before.rooms[index]!, room)),
    answersAgain: before.answersAgain || rooms.some((room, index) => room.isKnown && !before.rooms[index]!.isKnown),
    // Less than before, where others that share its limits have ended.
    workedSeconds: before.workedSeconds + Math.max(0, cpuSeconds - before.cpuSeconds),
    cpuSeconds,
  };
}

interface LastLook {
  /** How much more the run was allowed. */
  readonly left: number;
  readonly tookMs: number;
  readonly agoMs: number;
}

/** Whether a run may exceed its limit, or take the last of a disk, by what nobody has measured. */
export function mayBeTooLarge(unseen: UnseenGrowth, { left, tookMs, agoMs }: LastLook): boolean {
  const { rooms, takenBytes, answersAgain, workedSeconds } = unseen;
  const mayTake = ({ isLow, spareBytes }: DiskRoom) => (isLow ? Math.min(left, spareBytes) : left);
  if (answersAgain || rooms.some((room, index) => takenBytes[index]! > mayTake(room))) return true;
  return agoMs >= Math.max(whileWorkingMs, tookMs / maxLookShare) && workedSeconds * maxBytesPerCpuSecond > left;
}
