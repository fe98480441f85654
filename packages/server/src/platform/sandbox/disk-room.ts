import { type DiskPart, measureDisk, reserveOf } from "../disk-space.ts";
import { BoundedCalls } from "../project-files/index.ts";

/** One thread of Node's pool, for all runs: a disk that does not answer must not occupy more. */
export const diskCalls = new BoundedCalls(1);

/** What the smallest file with content takes up on most disks. */
export const leastFileBytes = 4096;

/** Who takes so much of the reserve is ended; others that write a little go on. */
const shareOfReserve = 1 / 4;

/** What a disk has left. */
export interface DiskRoom extends DiskPart {
  /** The disk has answered. */
  readonly isKnown: boolean;
  /** Only the reserve is left. */
  readonly isLow: boolean;
  /** How much of the reserve a program may still take, of what only the reserve is left of. */
  readonly spare: DiskPart;
  /** The same in bytes, where a file counts as much as the smallest. */
  readonly spareBytes: number;
}

const unlimited: DiskPart = { bytes: Infinity, files: Infinity };

export const unknownRoom: DiskRoom = {
  ...unlimited,
  isKnown: false,
  isLow: false,
  spare: unlimited,
  spareBytes: Infinity,
};

/** The room on the disk of a path; without an end where the disk does not answer. */
export async function roomOn(path: string, signal?: AbortSignal): Promise<DiskRoom> {
  try {
    const disk = await diskCalls.run(() => measureDisk(path), { path, signal });
    const { freeBytes, freeFiles } = disk;
    const kept = reserveOf(disk);
    const [isShortOfBytes, isShortOfFiles] = [freeBytes < kept.bytes, freeFiles < kept.files];
    return {
      ...{ bytes: freeBytes, files: freeFiles, isKnown: true },
      isLow: isShortOfFiles || isShortOfBytes,
      spare: {
        bytes: isShortOfBytes ? kept.bytes * shareOfReserve : Infinity,
        files: isShortOfFiles ? kept.files * shareOfReserve : Infinity,
      },
      spareBytes: (isShortOfFiles ? kept.files * leastFileBytes : kept.bytes) * shareOfReserve,
    };
  } catch {
    return unknownRoom;
  }
}

/** By whomever; nothing where the disk did not answer, or has room for any number of files. */
export function takenBetween(before: DiskRoom, now: DiskRoom): number {
  const taken = [before.bytes - now.bytes, (before.files - now.files) * leastFileBytes];
  return Math.max(0, ...taken.filter(Number.isFinite));
}
