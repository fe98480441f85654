import type { Dir } from "node:fs";
import { lstat, opendir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Entries between two rests: a folder of any size costs no more at a time. */
const entriesAtATime = 500;
const restMs = 5;

/** How much disk folders take up. Links are not followed; what vanishes meanwhile is nothing. */
export async function folderSize(folders: readonly string[], maxBytes = Number.POSITIVE_INFINITY): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const left = [...folders];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    let listing: Dir;
    try {
      listing = await opendir(folder);
    } catch {
      continue;
    }
    try {
      for await (const entry of listing) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) left.push(path);
        else bytes += await lstat(path).then(({ blocks }) => blocks * 512, nothing);
        // More need not be known.
        if (bytes > maxBytes) return bytes;
        entries += 1;
        if (entries % entriesAtATime === 0) await delay(restMs);
      }
    } catch {
      // The folder went away while it was read.
    }
  }
  return bytes;
}

const quickMs = 100;
const slowMs = 1_000;

/** Looks at folders again and again, until they have outgrown their limit; gives how large they have become. */
export async function untilTooLarge(folders: readonly string[], limitBytes: number, signal: AbortSignal) {
  const first = folders[0]!;
  while (!signal.aborted) {
    const freeBefore = await freeBytes(first);
    const start = performance.now();
    const bytes = await folderSize(folders, limitBytes);
    if (bytes > limitBytes) return bytes;
    // Large folders are looked at less often: one part in twenty of the time.
    const until = performance.now() + Math.max(slowMs, 20 * (performance.now() - start));
    // Unless the disk fills up: then something has grown, here or elsewhere, and that is cheap to see.
    const room = limitBytes - bytes;
    while (performance.now() < until) {
      await delay(quickMs, undefined, { signal }).catch(nothing);
      if (signal.aborted) return undefined;
      if (freeBefore - (await freeBytes(first)) > room) break;
    }
  }
  return undefined;
}

async function freeBytes(folder: string): Promise<number> {
  return statfs(folder).then(({ bfree, bsize }) => bfree * bsize, nothing);
}

function nothing(): number {
  return 0;
}
