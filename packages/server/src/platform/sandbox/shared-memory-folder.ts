import { statfsSync, statSync } from "node:fs";
import type { Process } from "./process-stat.ts";

/** What the kernel keeps for a name of 250 characters, be its file empty: bubblewrap bounds how many bytes there are, not names. */
const bytesPerName = 2048;

/** Begins the paths of what lies there. */
export const sharedMemoryFolder = "/dev/shm/";

/**
 * The memory that files in a sandbox's own `/dev/shm` take up, whether a process has them open or not. The folder is the only
 * file system in memory that its programs write to. They can put nothing in its place, and asking it waits for nobody.
 */
export function sharedFolderBytes(namespaceInit: Process | undefined): number {
  if (sharedFolderDevice(namespaceInit) === undefined) return 0;
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync(folderOf(namespaceInit!));
    return (blocks - bfree) * bsize + (files - ffree) * bytesPerName;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

/** The number of that file system; undefined where a sandbox has none of its own. */
export function sharedFolderDevice(namespaceInit: Process | undefined): number | undefined {
  if (namespaceInit === undefined) return undefined;
  try {
    const { dev } = statSync(folderOf(namespaceInit));
    // The machine's, which is everybody's, until bubblewrap has mounted the sandbox's own. It may have none.
    return dev === statSync("/dev/shm", { throwIfNoEntry: false })?.dev ? undefined : dev;
  } catch {
    // It has ended meanwhile, or has no such folder yet.
    return undefined;
  }
}

function folderOf({ pid }: Process): string {
  return `/proc/${pid}/root/dev/shm`;
}
