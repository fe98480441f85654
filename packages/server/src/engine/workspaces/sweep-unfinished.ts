import { stat } from "node:fs/promises";
import { join } from "node:path";
import { namesIn } from "../../platform/git/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";

/** Longer than any write takes. */
const abandonedAfterMs = 60 * 60 * 1000;

/** Removes what killed processes left unfinished in a project's folder: repositories, objects and packs without a name. */
export async function sweepUnfinished(project: string, now = Date.now()): Promise<void> {
  const objects = join(project, "repo.git", "objects");
  const unfinished = [...(await pathsIn(project, /^repo\.git\./)), ...(await pathsIn(objects, /^tmp_/))];
  for (const folder of await pathsIn(objects, /^([0-9a-f]{2}|pack)$/)) {
    unfinished.push(...(await pathsIn(folder, /^tmp_/)));
  }
  for (const path of unfinished) {
    const found = await stat(path).catch(() => undefined);
    if (found && now - found.mtimeMs > abandonedAfterMs) await removeFolder(path);
  }
}

async function pathsIn(folder: string, name: RegExp): Promise<string[]> {
  return (await namesIn(folder)).filter((one) => name.test(one)).map((one) => join(folder, one));
}
