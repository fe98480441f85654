import { statfs } from "node:fs/promises";
import { DiskMeter } from "../../platform/sandbox/index.ts";

/** A program may also make measuring endless. */
const measuringMs = 10 * 60_000;
const spareBytes = 1024 ** 3;
/** An empty file counts four times as much; one of its further names counts nothing but its place in a folder. */
const leastEntryBytes = 1024;

interface Bounds {
  readonly maxBytes: number;
  readonly maxEntries: number;
}

/** How much of a folder is packed, which its program may fill ahead of us without end: twice what it has now, and more. */
export async function boundsOf(folder: string, signal: AbortSignal): Promise<Bounds> {
  const meter = new DiskMeter({ folders: [folder], shared: [], openFiles: async () => [] });
  const within = AbortSignal.any([signal, AbortSignal.timeout(measuringMs)]);
  const bytes = (await meter.measure(within).catch(() => undefined)) ?? (await usedBytesOf(folder));
  const maxBytes = 2 * bytes + spareBytes;
  return { maxBytes, maxEntries: maxBytes / leastEntryBytes };
}

/** What is on its whole disk. */
async function usedBytesOf(folder: string): Promise<number> {
  const { bsize, blocks, bfree } = await statfs(folder);
  return (blocks - bfree) * bsize;
}
