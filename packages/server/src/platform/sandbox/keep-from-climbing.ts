import { access, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** By these npm knows the folder of a project; without one, it looks in the folders above. */
const marks = ["package.json", "node_modules"];

/**
 * Without a sandbox a program sees the folders above its own, where somebody else's project may be: a folder of the service
 * often lies inside of one. Keeps npm and git from taking that for the folder's own; returns environment variables.
 */
export async function keepFromClimbing(folder: string): Promise<Record<string, string>> {
  if (!(await isMarked(folder)) && (await isBelowMarked(folder))) {
    // Empty, so that git does not see it.
    await mkdir(join(folder, "node_modules")).catch(() => undefined);
  }
  return { GIT_CEILING_DIRECTORIES: dirname(folder) };
}

async function isBelowMarked(folder: string): Promise<boolean> {
  const above = dirname(folder);
  return above !== folder && ((await isMarked(above)) || (await isBelowMarked(above)));
}

async function isMarked(folder: string): Promise<boolean> {
  const found = marks.map((name) => access(join(folder, name)).then(() => true));
  return Promise.any(found).catch(() => false);
}
