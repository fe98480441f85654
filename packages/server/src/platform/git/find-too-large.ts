import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { findPaths } from "./find-paths.ts";

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
  let total = 0;
  let largest = { path: "", size: 0 };
  for (const path of paths.filter((one) => !isIgnored(one))) {
    const size = (await lstat(join(tree, path)).catch(() => undefined))?.size ?? 0;
    total += size;
    if (size > largest.size) largest = { path, size };
  }
  if (largest.size > maxFileBytes)
    return {
      path: largest.path,
      reason: `is larger than ${maxFileBytes / 2 ** 20} MiB, the most that a file may have`,
    };
  if (total <= maxTreeBytes) return undefined;
  const reason = `and the others are larger than ${maxTreeBytes / 2 ** 20} MiB, the most that a project may have`;
  return { path: largest.path, reason };
}
