import { randomUUID } from "node:crypto";
import { mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

const preparedPrefix = ".current-";

/** A link to a release that is made, and takes the place of `current` in one step. */
interface NewCurrent {
  use(): Promise<void>;
  /** Removes it, if it was not used. */
  discard(): Promise<void>;
}

/** Makes the link, so that a full disk is noticed before anything else is changed. */
export async function prepareCurrent(current: string, folder: string): Promise<NewCurrent> {
  const place = dirname(current);
  await mkdir(place, { recursive: true });
  const temporary = join(place, `${preparedPrefix}${randomUUID()}`);
  await symlink(relative(place, folder), temporary);
  return { use: () => rename(temporary, current), discard: () => rm(temporary, { force: true }) };
}

/**
 * Points `current` at a release, in one step: whoever opens a path below it finds the old release or the new one, never
 * nothing. The link is relative, so that a data folder may be moved.
 */
export async function pointCurrent(current: string, folder: string): Promise<void> {
  const prepared = await prepareCurrent(current, folder);
  try {
    await prepared.use();
  } finally {
    await prepared.discard();
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

/** Removes links that were made and never used, because the service was killed meanwhile. */
export async function removeUnusedCurrents(current: string, isOver: (folder: string) => boolean): Promise<void> {
  const place = dirname(current);
  for (const name of await readdir(place).catch(() => [])) {
    if (!name.startsWith(preparedPrefix)) continue;
    const link = join(place, name);
    const folder = await currentFolder(link);
    if (folder !== undefined && isOver(folder)) await rm(link, { force: true });
  }
}
