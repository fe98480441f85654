import { readdirSync, readlinkSync, statSync } from "node:fs";

/** Files without a name that processes hold open: no folder shows them. */
interface UnnamedFiles {
  /** Paths that lead to those on disks. */
  readonly onDisk: readonly string[];
  /** What those in memory take up (`memfd_create`), whether a process maps them or not. */
  readonly inMemoryBytes: number;
}

const deleted = " (deleted)";

/** Finds the unnamed files of processes. It reads only /proc, and no disk. */
export function findUnnamedFiles(pids: readonly number[]): UnnamedFiles {
  const onDisk: string[] = [];
  const inMemory = new Map<number, number>();
  for (const path of pids.flatMap(openFilesOf)) {
    const target = targetOf(path);
    if (!target.endsWith(deleted)) continue;
    if (!target.startsWith("/memfd:")) onDisk.push(path);
    else {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found !== undefined) inMemory.set(found.ino, found.blocks * 512);
    }
  }
  return { onDisk, inMemoryBytes: [...inMemory.values()].reduce((total, bytes) => total + bytes, 0) };
}

function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).map((name) => `${folder}/${name}`);
  } catch {
    // It ended, or it belongs to somebody else.
    return [];
  }
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
