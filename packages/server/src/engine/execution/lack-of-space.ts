import { measureDisk } from "../../platform/disk-space.ts";
import type { RunError } from "../lifecycle/index.ts";

/** With less room than that, any program may fail. */
const fullBelowBytes = 4 * 1024 ** 2;
/** Programs remove what they could not finish: with less room than that, their word is believed. */
const lowBelowBytes = 512 * 1024 ** 2;
const words = /\b(?:ENOSPC|EDQUOT)\b|No space left on device|Disk quota exceeded/i;

/** The error of a failure that a full disk explains, which says nothing of the result; undefined if none does. */
export async function lackOfSpace(folder: string, log: string): Promise<RunError | undefined> {
  const { free_bytes: free } = await measureDisk(folder);
  if (free >= (words.test(log) ? lowBelowBytes : fullBelowBytes)) return undefined;
  return {
    code: "no_space",
    message: "The disk is full: the result could not be verified. Make room, then retry.",
  };
}
