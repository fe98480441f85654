import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../remove-folder.ts";
import { ownName } from "./run-owner.ts";

/** Temporary folders of one run, removed when it ends. */
export interface RunFolders {
  readonly folder: string;
  readonly home: string;
  readonly temporary: string;
}

interface RunOwner {
  readonly installation: string;
  readonly runId: string;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

export function makeRunFolders(where: string, { installation, runId, owner }: RunOwner): RunFolders {
  const folder = mkdtempSync(join(realpathSync(where), `${prefix}${ownName(installation)}-${runId}-`));
  const folders = { folder, home: join(folder, "home"), temporary: join(folder, "tmp") };
  for (const path of [folders.home, folders.temporary]) {
    mkdirSync(path, { mode: 0o700 });
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  }
  return folders;
}

/** Never throws: the next start of the service removes what could not be removed now. */
export async function removeRunFolders({ folder, home, temporary }: RunFolders): Promise<void> {
  try {
    // Most runs leave nothing there.
    for (const path of [home, temporary, folder]) rmdirSync(path);
  } catch {
    await removeFolder(folder).catch(() => undefined);
  }
}

/** The folders of runs that have ended. */
export async function findOldRunFolders(
  where: string,
  installation: string,
  isLive: (runId: string, owner: string) => boolean,
): Promise<string[]> {
  const names = (await readdir(where)).filter((name) => {
    if (!name.startsWith(`${prefix}${installation}-`)) return false;
    // The run's id is followed by a dash and six random characters.
    const [, owner = "", runId = ""] = /^(\w+-\w+-\w+)-(.*)-.{6}$/.exec(name.slice(prefix.length)) ?? [];
    return !isLive(runId, owner);
  });
  return names.map((name) => join(where, name));
}

const prefix = "slipway-run-";
