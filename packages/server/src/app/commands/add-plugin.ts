import { chmod, mkdir, readdir, rename, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openDataFolder } from "../../platform/database/index.ts";
import {
  describePlugin,
  folderOfPlugin,
  type PluginDescription,
  PluginFailure,
  type PluginPlace,
  packageName,
  placeOf,
  placeWithin,
  pluginOfFolder,
  pluginsFolder,
} from "../../platform/plugins/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import { TemporaryFolders } from "../../platform/temporary-folders.ts";
import type { Config } from "../config.ts";
import { installPackage } from "./install-package.ts";

type Needed = Pick<Config, "dataFolder" | "sandbox">;

/**
 * Installs a plugin's package into the data folder once it has described itself. Documents may use it once the operator allows
 * it. What was installed before stays until then, and where the new one cannot be used.
 */
export async function addPlugin(
  { dataFolder, sandbox: mode }: Needed,
  what: string,
  signal?: AbortSignal,
): Promise<{ place: PluginPlace; about: PluginDescription }> {
  await openDataFolder(dataFolder);
  const source = await sourceOf(what);
  const sandbox = await createSandbox({ mode, dataFolder });
  // The next start of the service removes what a killed process leaves of it.
  const room = await new TemporaryFolders({ dataFolder }).makeInDataFolder("plugin");
  try {
    const fresh = join(room, "new");
    await mkdir(fresh);
    const name = await installPackage(fresh, source, undefined, signal);
    if (!packageName.test(name)) throw new PluginFailure("The name of its package is none that npm allows today.");
    // Programs of the sandbox are no user of ours.
    await chmod(room, 0o755);
    const about = await describePlugin({ sandbox }, placeWithin(fresh, name), signal);
    await putInPlace(folderOfPlugin(dataFolder, name), fresh, join(room, "old"));
    return { place: placeOf(dataFolder, { name, path: undefined }), about };
  } finally {
    await removeFolder(room);
  }
}

/** Removes an installed plugin; returns whether it was installed. */
export async function removePlugin({ dataFolder }: Needed, name: string): Promise<boolean> {
  if (!(await installedPlugins(dataFolder)).includes(name)) return false;
  // Gone in one step: whoever ends this leaves no half of it for documents to use.
  const room = await new TemporaryFolders({ dataFolder }).makeInDataFolder("plugin");
  try {
    await rename(folderOfPlugin(dataFolder, name), join(room, "old"));
  } finally {
    await removeFolder(room);
  }
  return true;
}

export async function installedPlugins(dataFolder: string): Promise<readonly string[]> {
  const folders = await readdir(pluginsFolder(dataFolder)).catch(() => []);
  const installed: string[] = [];
  for (const name of folders.map(pluginOfFolder).filter((one) => packageName.test(one))) {
    const found = await stat(placeOf(dataFolder, { name, path: undefined }).folder).catch(() => undefined);
    if (found !== undefined) installed.push(name);
  }
  return installed;
}

async function putInPlace(place: string, fresh: string, old: string): Promise<void> {
  await mkdir(join(place, ".."), { recursive: true });
  await rename(place, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(fresh, place).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOTEMPTY" || error.code === "EEXIST")
      throw new PluginFailure("Somebody else is adding it at this moment.");
    // Such as a disk that fails: the room is removed, and what was installed before would be with it.
    await rename(old, place).catch(() => undefined);
    throw error;
  });
}

/** The absolute path of an existing folder or file, or the name of a package. */
async function sourceOf(what: string): Promise<string> {
  const found = await stat(what).catch(() => undefined);
  if (found !== undefined && !found.isDirectory() && !found.isFile())
    throw new PluginFailure(`${resolve(what)} is neither a folder nor a file.`);
  if (found !== undefined) return resolve(what);
  // npm would search a registry for a path that does not exist.
  if (/^[./~]/.test(what)) throw new PluginFailure(`There is no folder or file ${resolve(what)}.`);
  return what;
}
