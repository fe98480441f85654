import type { Dir } from "node:fs";
import { lstat, opendir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Entries between two pauses, so that a large folder does not block the service. */
const entriesBetweenPauses = 500;
const pauseMs = 5;

/** Disk space that folders take up. It does not follow links, and files that vanish meanwhile count as empty. */
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
        // The caller only asks whether the limit is exceeded.
        if (bytes > maxBytes) return bytes;
        entries += 1;
        if (entries % entriesBetweenPauses === 0) await delay(pauseMs);
      }
    } catch {
      // The folder was removed meanwhile.
    }
  }
  return bytes;
}

const quickMs = 100;
const slowMs = 1_000;

/** Polls the size of folders until they exceed the limit; returns that size, or undefined after an abort. */
export async function waitUntilTooLarge(folders: readonly string[], limitBytes: number, signal: AbortSignal) {
  const first = folders[0]!;
  while (!signal.aborted) {
    const freeBefore = await freeBytes(first);
    const start = performance.now();
    const bytes = await folderSize(folders, limitBytes);
    if (bytes > limitBytes) return bytes;
    // Large folders are measured less often: at most a twentieth of the time goes into it.
    const until = performance.now() + Math.max(slowMs, 20 * (performance.now() - start));
    // The free space of the disk is cheap to read: measure at once when it shrank by more than the room left.
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
