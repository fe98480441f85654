import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { inTurns } from "../in-turns.ts";
import { oneLine } from "../one-line.ts";
import { findSizes, type SizedPath } from "./find-sizes.ts";

/** Far more than a project's own files have; git takes a second for 50 MB. */
const maxFileBytes = 512 * 2 ** 20;
const maxTreeBytes = 2 * 2 ** 30;

/** Up to so many files are looked at one by one; for more, a program is. */
const maxLookedAt = 300;

/** What is too large, and why: the size that a file has for its readers, however little of it there is on the disk. */
export interface TooLarge {
  readonly path: string;
  readonly reason: string;
}

/** Finds a file that is too large to be part of a project, or the largest one of a tree that is. */
export async function findTooLarge(
  tree: string,
  {
    files,
    isComplete,
    signal,
  }: { readonly files: readonly string[]; readonly isComplete: boolean; readonly signal?: AbortSignal | undefined },
  isIgnored: (path: string) => boolean = () => false,
): Promise<TooLarge | undefined> {
  const sized = isComplete && files.length <= maxLookedAt ? sizesOf(tree, files) : findSizes(tree, signal);
  const { total, largest } = await addUp(sized, isIgnored);
  if (largest.size > maxFileBytes)
    return {
      path: largest.path,
      reason: `is larger than ${maxFileBytes / 2 ** 20} MiB, the most that a file may have`,
    };
  if (total <= maxTreeBytes) return undefined;
  const reason = `and the others are larger than ${maxTreeBytes / 2 ** 20} MiB, the most that a project may have`;
  return { path: largest.path, reason };
}

/** All that a result may have, and all that its build may write: only files with holes are larger together. */
const maxBuiltBytes = maxTreeBytes + 4 * 2 ** 30;

/** Why the files of a build must not be copied anywhere: a copy has no holes and no second names, and would fill the disk. */
export async function whyTooLargeBuilt(tree: string, signal?: AbortSignal): Promise<string | undefined> {
  const { total, largest } = await addUp(findSizes(tree, signal));
  if (total <= maxBuiltBytes) return undefined;
  const path = oneLine(largest.path, 200);
  return `The built files are larger than ${maxBuiltBytes / 2 ** 20} MiB together; the largest is '${path}'.`;
}

/** All of them, for a hundred thousand small files with holes are as large as one giant. */
async function addUp(sized: AsyncIterable<SizedPath>, isIgnored: (path: string) => boolean = () => false) {
  let total = 0;
  let largest: SizedPath = { path: "", size: 0 };
  for await (const file of sized) {
    if (isIgnored(file.path)) continue;
    total += file.size;
    if (file.size > largest.size) largest = file;
  }
  return { total, largest };
}

async function* sizesOf(tree: string, paths: readonly string[]): AsyncGenerator<SizedPath> {
  for await (const path of inTurns(paths)) {
    const found = await lstat(join(tree, path)).catch(() => undefined);
    yield { path, size: found?.size ?? 0 };
  }
}
