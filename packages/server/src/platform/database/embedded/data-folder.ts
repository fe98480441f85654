import { chmod, mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseRefusal } from "../database-refusal.ts";
import { isRoot } from "./database-user.ts";
import { explainFileError } from "./explain-failure.ts";

const ignoreEverything = "*\n";

/** Creates the data folder, or checks that it is one, and returns its real path. */
export async function openDataFolder(path: string): Promise<string> {
  const folder = resolve(path);
  try {
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await refuseForeignFolder(folder);
    // If root runs it, the database's user must pass through; the contents stay closed to others.
    await chmod(folder, isRoot() ? 0o711 : 0o700);
    await writeFile(join(folder, ".gitignore"), ignoreEverything, { mode: 0o600 });
    return await realpath(folder);
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

/** `--data .` must not close a person's project to others and hide it from git. */
async function refuseForeignFolder(folder: string): Promise<void> {
  const entries = (await readdir(folder)).filter((name) => name !== "lost+found");
  if (entries.length === 0) return;
  const gitignore = await readFile(join(folder, ".gitignore"), "utf8").catch(() => undefined);
  // Empty: a starter died while it wrote the file.
  if (gitignore === ignoreEverything || gitignore === "") return;
  throw new DatabaseRefusal(
    "folder_not_ours",
    `The folder ${folder} contains files that are not Slipway's. Name a new or empty folder with --data or SLIPWAY_DATA.`,
  );
}
