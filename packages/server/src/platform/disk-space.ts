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

/** How much the disk of one of the service's own folders has left. */
export async function measureDisk(path: string): Promise<DiskSpace> {
  const { bsize, bavail, blocks, files, ffree } = await statfs(path);
  const freeFiles = files > 0 ? ffree : Number.POSITIVE_INFINITY;
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeFiles, totalFiles: files };
}

/** Whether the system said that a disk, or somebody's share of it, has no room. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
  return code === "ENOSPC" || code === "EDQUOT";
}
