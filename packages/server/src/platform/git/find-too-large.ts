import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { oneLine } from "../one-line.ts";
import { findPaths } from "./find-paths.ts";
import { inTurns } from "./path-tree.ts";

/** Far more than a project's own files have; git takes a second for 50 MB. */
const maxFileBytes = 512 * 2 ** 20;
const maxTreeBytes = 2 * 2 ** 30;

/** Up to so many files are looked at one by one; for more, a program finds those that count. */
const maxLookedAt = 300;
const moreThanMegabyte = [".", "-type", "f", "-size", "+1024k"];

/** What is too large, and why: the size that a file has for its readers, however little of it there is on the disk. */
export interface TooLarge {
  readonly path: string;
  readonly reason: string;
}

/** Finds a file that is too large to be part of a project, or the largest one of a tree that is. */
export async function findTooLarge(
  tree: string,
  { files, isComplete }: { readonly files: readonly string[]; readonly isComplete: boolean },
  isIgnored: (path: string) => boolean = () => false,
): Promise<TooLarge | undefined> {
  const paths = isComplete && files.length <= maxLookedAt ? files : await findPaths(tree, moreThanMegabyte);
  const { total, largest } = await addUp(tree, paths, isIgnored);
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

/** Why the files of a build must not be copied anywhere: a copy has no holes, and would fill the disk. */
export async function whyTooLargeBuilt(tree: string): Promise<string | undefined> {
  const { total, largest, unknown } = await addUp(tree, await findPaths(tree, moreThanMegabyte));
  if (unknown !== undefined)
    return `The built file '${oneLine(unknown, 200)}' cannot be measured: its path is too long, or its name is not UTF-8.`;
  if (total <= maxBuiltBytes) return undefined;
  return `The built files are larger than ${maxBuiltBytes / 2 ** 20} MiB together; the largest is '${largest.path}'.`;
}

async function addUp(tree: string, paths: readonly string[], isIgnored: (path: string) => boolean = () => false) {
  let total = 0;
  let unknown: string | undefined;
  let largest = { path: "", size: 0 };
  for await (const path of inTurns(paths)) {
    if (isIgnored(path)) continue;
    // A name that is not UTF-8 may be read like that of another file.
    const isOdd = path.includes("\ufffd");
    const found = await lstat(join(tree, path)).catch((error: NodeJS.ErrnoException) => error.code);
    if (isOdd || found === "ENAMETOOLONG") unknown ??= path;
    const size = typeof found === "object" ? found.size : 0;
    total += size;
    if (size > largest.size) largest = { path, size };
  }
  return { total, largest, unknown };
}
