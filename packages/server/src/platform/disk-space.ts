import { statfs } from "node:fs/promises";

/** What a disk has left. Some are made for so many files: without room for one more, they are full of nothing. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Infinite where there may be any number. */
  readonly freeFiles: number;
  /** Zero where there may be any number. */
  readonly totalFiles: number;
}

/** A part of a disk. */
export interface DiskPart {
  readonly bytes: number;
  readonly files: number;
}

/** How much the disk of one of the service's own folders has left. */
export async function measureDisk(path: string): Promise<DiskSpace> {
  const { bsize, bavail, blocks, files, ffree } = await statfs(path);
  const freeFiles = files > 0 ? ffree : Number.POSITIVE_INFINITY;
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeFiles, totalFiles: files };
}

/** What may be asked of a small disk. */
const maxShare = 1 / 16;

/** So much of a disk, or of a small one its share: what is little of one may be more than all of another. */
export function atMostShare(most: DiskPart, disk: DiskSpace): DiskPart {
  return {
    bytes: Math.min(most.bytes, disk.totalBytes * maxShare),
    files: Math.min(most.files, disk.totalFiles * maxShare),
  };
}

/** What of a disk nobody's files may take: on a full one, the database cannot even note that they are to be removed. */
const reserved: DiskPart = { bytes: 256 * 2 ** 20, files: 10_000 };

export function reserveOf(disk: DiskSpace): DiskPart {
  return atMostShare(reserved, disk);
}

/** Whether the system said that a disk, or somebody's share of it, has no room. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** The same, also where what works with files and artifacts has told it in its own way. */
export function lacksSpace(error: unknown): boolean {
  return isDiskFull(error) || (error as { readonly code?: unknown } | null | undefined)?.code === "no_space";
}
