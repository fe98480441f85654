import { constants } from "node:fs";
import { lstat, open, opendir } from "node:fs/promises";

/** Of more entries, or deeper, a program is quicker and holds up nobody. */
const maxEntries = 100;
const maxDepth = 20;
const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_DIRECTORY;

interface Budget {
  entries: number;
}

/** The disk space that each of these small folders takes up; undefined where one is large, or anything is odd about it. */
export async function smallFolderSizes(folders: readonly string[]): Promise<number[] | undefined> {
  const budget: Budget = { entries: maxEntries };
  const sizes: number[] = [];
  for (const folder of folders) {
    const bytes = await sizeOf(folder, budget, maxDepth).catch(() => undefined);
    if (bytes === undefined) return undefined;
    sizes.push(bytes);
  }
  return sizes;
}

/** Holds the folder open: nobody can exchange it for a link meanwhile. */
async function sizeOf(path: string, budget: Budget, depth: number): Promise<number | undefined> {
  if (depth === 0) return undefined;
  const folder = await open(path, folderFlags);
  try {
    const { dev, blocks } = await folder.stat();
    let bytes = blocks * blockBytes;
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
      const size = found.isDirectory() ? await sizeOf(place, budget, depth - 1) : found.blocks * blockBytes;
      if (size === undefined) return undefined;
      bytes += size;
    }
    return bytes;
  } finally {
    await folder.close();
  }
}

const blockBytes = 512;
