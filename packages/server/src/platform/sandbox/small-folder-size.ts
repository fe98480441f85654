import { constants } from "node:fs";
import { lstat, open, opendir } from "node:fs/promises";
import type { DiskPart } from "../disk-space.ts";

/** Of more entries, or deeper, a program is quicker and holds up nobody. */
const maxEntries = 100;
const maxDepth = 20;
const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_DIRECTORY;

interface Budget {
  entries: number;
}

/** The disk space that each of these small folders takes up; undefined where one is large, or anything is odd about it. */
export async function smallFolderSizes(folders: readonly string[]): Promise<DiskPart[] | undefined> {
  const budget: Budget = { entries: maxEntries };
  const sizes: DiskPart[] = [];
  for (const folder of folders) {
    const size = await sizeOf(folder, budget, maxDepth).catch(() => undefined);
    if (size === undefined) return undefined;
    sizes.push(size);
  }
  return sizes;
}

/** Holds the folder open: nobody can exchange it for a link meanwhile. */
async function sizeOf(path: string, budget: Budget, depth: number): Promise<DiskPart | undefined> {
  if (depth === 0) return undefined;
  const folder = await open(path, folderFlags);
  try {
    const { dev, blocks } = await folder.stat();
    let [bytes, files] = [blocks * blockBytes, 1];
    const here = `/proc/self/fd/${folder.fd}`;
    for await (const entry of await opendir(here, { bufferSize: maxEntries })) {
      if (budget.entries === 0) return undefined;
      budget.entries -= 1;
      // Where a name is not UTF-8, another file may be found by it.
      if (entry.name.includes("\ufffd")) return undefined;
      const place = `${here}/${entry.name}`;
      const found = await lstat(place);
      // A file with two names counts once, and another disk not at all: that is for the program.
      if (found.dev !== dev || (!found.isDirectory() && found.nlink > 1)) return undefined;
      const fileSize = { bytes: found.blocks * blockBytes, files: 1 };
      const size = found.isDirectory() ? await sizeOf(place, budget, depth - 1) : fileSize;
      if (size === undefined) return undefined;
      bytes += size.bytes;
      files += size.files;
    }
    return { bytes, files };
  } finally {
    await folder.close();
  }
}

const blockBytes = 512;
