import { measureDisk } from "../../platform/disk-space.ts";
import type { RunError } from "../lifecycle/index.ts";

/** With less room than that, any program may fail. */
const fullBelowBytes = 4 * 1024 ** 2;
/** Programs remove what they could not finish: with less room than that, their word is believed. */
const lowBelowBytes = 512 * 1024 ** 2;
const words = /\b(?:ENOSPC|EDQUOT)\b|No space left on device|Disk quota exceeded/i;

/** A full disk is a part of the machine that fails: nobody's work is to blame, and nobody can mend it. */
export const noSpace = "no_space";

/** The error of a failure that a full disk explains, which says nothing of the result; undefined if none does. */
export async function lackOfSpace(folder: string, log: string, what: string): Promise<RunError | undefined> {
  const free = await freeIn(folder);
  if (free >= (words.test(log) ? lowBelowBytes : fullBelowBytes)) return undefined;
  return {
    code: noSpace,
    message: `The disk is full: ${what}. Make room, then retry.`,
  };
}

/** A program may have removed the folder it worked in: then nothing is known of a disk. */
async function freeIn(folder: string): Promise<number> {
  try {
    return (await measureDisk(folder)).free_bytes;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return Number.POSITIVE_INFINITY;
    throw error;
  }
}
