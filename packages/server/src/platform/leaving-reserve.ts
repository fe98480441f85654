import { type DiskSpace, measureDisk, reserveOf } from "./disk-space.ts";

/** So often it is looked whether a stream goes into what a disk keeps in reserve: some kilobytes name thousands of folders. */
const lookEveryBytes = 128 * 1024;

interface Kept {
  /** On the disk that is written to. */
  readonly folder: string;
  /** What the disk had: as much as was taken since is needed once more. */
  readonly before?: DiskSpace;
  readonly refuse: () => Error;
}

/** Passes on what a stranger sends, and ends where it would take what the disk keeps for the service. */
export async function* leavingReserve(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  kept: Kept,
): AsyncGenerator<Uint8Array> {
  let unseen = lookEveryBytes;
  for await (const chunk of source) {
    unseen += chunk.length;
    if (unseen >= lookEveryBytes) {
      await requireReserve(kept);
      unseen = 0;
    }
    yield chunk;
  }
}

export async function requireReserve({ folder, before, refuse }: Kept): Promise<void> {
  const now = await measureDisk(folder);
  if (!leavesReserve(now, before ?? now)) throw refuse();
}

/** Whether a disk would keep its reserve if as much were taken of it as since before. */
export function leavesReserve(now: DiskSpace, before: DiskSpace): boolean {
  const { bytes, files } = reserveOf(now);
  return leftAfter(now.freeBytes, before.freeBytes) >= bytes && leftAfter(now.freeFiles, before.freeFiles) >= files;
}

/** What others have freed since is there already. */
function leftAfter(now: number, before: number): number {
  return before > now ? now - (before - now) : now;
}
