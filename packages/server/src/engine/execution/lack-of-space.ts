import { tmpdir } from "node:os";
import { atMostShare, type DiskPart, type DiskSpace, measureDisk } from "../../platform/disk-space.ts";
import type { RunError } from "../lifecycle/index.ts";

/** With less room than that, any program may fail. */
const fullBelow: DiskPart = { bytes: 4 * 1024 ** 2, files: 100 };
/** Programs remove what they could not finish: with less room than that, their word is believed. */
const lowBelow: DiskPart = { bytes: 512 * 1024 ** 2, files: 20_000 };
const words = /\b(?:ENOSPC|EDQUOT)\b|No space left on device|Disk quota exceeded|the disk is nearly full/i;
/** The system gives the same error to whoever watches more files than it lets them. */
const ofWatches = /file watchers|inotify/i;
/** Node tells it a second time. */
const ofNodesWatches = /syscall: 'watch',\n *code: 'ENOSPC'/g;

/** A full disk is a part of the machine that fails: nobody's work is to blame, and nobody can mend it. */
export const noSpace = "no_space";

/** The error of a failure that a full disk explains, which says nothing of the result; undefined if none does. */
export async function lackOfSpace(folder: string, log: string, what: string): Promise<RunError | undefined> {
  const below = tellsOfDisk(log) ? lowBelow : fullBelow;
  // Temporary files of programs may be on a disk of their own.
  const disks = [await freeIn(folder), await freeIn(tmpdir())];
  const isFull = (disk: DiskSpace | undefined) => disk !== undefined && hasLessThan(atMostShare(below, disk), disk);
  if (!disks.some(isFull)) return undefined;
  return {
    code: noSpace,
    message: `The disk is full: ${what}. Make room, then retry.`,
  };
}

function hasLessThan({ bytes, files }: DiskPart, { freeBytes, freeFiles }: DiskSpace): boolean {
  return freeBytes < bytes || freeFiles < files;
}

function tellsOfDisk(log: string): boolean {
  const lines = log.replaceAll(ofNodesWatches, "").split("\n");
  return lines.some((line) => words.test(line) && !ofWatches.test(line));
}

/** A program may have removed the folder it worked in: then nothing is known of a disk. */
async function freeIn(folder: string): Promise<DiskSpace | undefined> {
  try {
    return await measureDisk(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
