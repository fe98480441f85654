import { statfsSync, statSync } from "node:fs";
import type { Process } from "./process-table.ts";

/** What the kernel keeps for a name of 250 characters, be its file empty: bubblewrap bounds how many bytes there are, not names. */
const bytesPerName = 2048;

/**
 * The memory that files in a sandbox's own `/dev/shm` take up, whether a process has them open or not. The folder is the only
 * file system in memory that its programs write to. They can put nothing in its place, and asking it waits for nobody.
 */
export function sharedFolderBytes(namespaceInit: Process | undefined): number {
  if (namespaceInit === undefined) return 0;
  try {
    const folder = `/proc/${namespaceInit.pid}/root/dev/shm`;
    // The machine's, which is everybody's, until bubblewrap has mounted the sandbox's own. It may have none.
    if (statSync(folder).dev === statSync("/dev/shm", { throwIfNoEntry: false })?.dev) return 0;
    const { bsize, blocks, bfree, files, ffree } = statfsSync(folder);
    return (blocks - bfree) * bsize + (files - ffree) * bytesPerName;
  } catch {
    // It has ended meanwhile, or has no such folder yet.
    return 0;
  }
}
