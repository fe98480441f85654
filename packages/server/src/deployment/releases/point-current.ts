import { randomUUID } from "node:crypto";
import { mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/**
 * Points `current` at a release, in one step: whoever opens a path below it finds the old release or the new one, never
 * nothing. The link is relative, so that a data folder may be moved.
 */
export async function pointCurrent(current: string, folder: string): Promise<void> {
  const place = dirname(current);
  await mkdir(place, { recursive: true });
  const temporary = join(place, `.current-${randomUUID()}`);
  try {
    await symlink(relative(place, folder), temporary);
    await rename(temporary, current);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The folder that `current` leads to; undefined if there is none yet. */
export async function currentFolder(current: string): Promise<string | undefined> {
  try {
    return join(dirname(current), await readlink(current));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
