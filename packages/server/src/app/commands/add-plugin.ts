import { execFile } from "node:child_process";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { openDataFolder } from "../../platform/database/index.ts";
import {
  describePlugin,
  type PluginDescription,
  PluginFailure,
  type PluginPlace,
  packageName,
  placeOf,
  pluginsFolder,
} from "../../platform/plugins/index.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import type { Config } from "../config.ts";

type Needed = Pick<Config, "dataFolder" | "sandbox">;

/** Installs a plugin's package into the data folder and checks it. Documents may use it once the operator allows it. */
export async function addPlugin(
  config: Needed,
  what: string,
): Promise<{ place: PluginPlace; about: PluginDescription }> {
  const { dataFolder } = config;
  await openDataFolder(dataFolder);
  const folder = pluginsFolder(dataFolder);
  await mkdir(folder, { recursive: true });
  const source = await sourceOf(what);
  if (source === undefined) throw new PluginFailure(`There is no folder or file ${resolve(what)}.`);
  const known = await dependenciesIn(folder);
  if (known === undefined) await writeFile(manifestIn(folder), '{ "private": true }\n');
  // npm skips a folder whose version is installed already, even if its files have changed.
  const earlier = await nameIn(source);
  if (earlier !== undefined) await rm(join(folder, "node_modules", earlier), { recursive: true, force: true });
  await npm(folder, ["install", "--install-links", "--omit=dev", "--", source], `cannot install ${source}`);
  const name = nameOf(source, known ?? {}, (await dependenciesIn(folder)) ?? {});
  const place = placeOf(dataFolder, { name, path: undefined });
  const sandbox = await createSandbox({ mode: config.sandbox, dataFolder });
  try {
    return { place, about: await describePlugin({ sandbox }, place) };
  } catch (error) {
    // A plugin that was installed before stays, even broken: documents that name it are refused with a reason.
    if (known?.[name] === undefined) await uninstall(folder, name);
    throw error;
  }
}

/** Removes an installed plugin; returns whether it was installed. */
export async function removePlugin({ dataFolder }: Needed, name: string): Promise<boolean> {
  const folder = pluginsFolder(dataFolder);
  if ((await dependenciesIn(folder))?.[name] === undefined) return false;
  await uninstall(folder, name);
  return true;
}

async function uninstall(folder: string, name: string): Promise<void> {
  await npm(folder, ["uninstall", "--", name], `cannot remove ${name}`);
}

/** The name of the package in a folder; undefined if the folder is not a package. */
async function nameIn(source: string): Promise<string | undefined> {
  try {
    const { name } = JSON.parse(await readFile(manifestIn(source), "utf8")) as { name?: unknown };
    return typeof name === "string" && packageName.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

export async function installedPlugins(dataFolder: string): Promise<readonly string[]> {
  return Object.keys((await dependenciesIn(pluginsFolder(dataFolder))) ?? {});
}

/** The absolute path of an existing folder or file, or the name of a package; undefined for a path that does not exist. */
async function sourceOf(what: string): Promise<string | undefined> {
  const isThere = await stat(what).then(
    () => true,
    () => false,
  );
  if (isThere) return resolve(what);
  // npm would search a registry for a path that does not exist.
  return /^[./~]/.test(what) ? undefined : what;
}

/** Runs npm without the scripts of packages. */
async function npm(folder: string, [command = "", ...args]: readonly string[], what: string): Promise<void> {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", [command, ...flags, ...args], { cwd: folder });
  } catch (error) {
    const { code, stderr = "" } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === "ENOENT")
      throw new PluginFailure("npm is not installed: install it, or name the plugin's folder by 'path'.");
    const why = stderr.trim().split("\n").slice(0, 3).join(" ").slice(0, 500);
    throw new PluginFailure(`npm ${what}: ${why}`, { cause: error });
  }
}

type Dependencies = Readonly<Record<string, string>>;

function manifestIn(folder: string): string {
  return join(folder, "package.json");
}

async function dependenciesIn(folder: string): Promise<Dependencies | undefined> {
  try {
    const text = await readFile(manifestIn(folder), "utf8");
    return (JSON.parse(text) as { dependencies?: Dependencies }).dependencies ?? {};
  } catch {
    return undefined;
  }
}

/** Which package it was: the one that is new, or, put in again, the one that npm notes to have come from there. */
function nameOf(source: string, before: Dependencies, after: Dependencies): string {
  const names = Object.keys(after);
  const found =
    names.find((name) => after[name] !== before[name]) ??
    names.find((name) => source === name || source.startsWith(`${name}@`)) ??
    names.find((name) => after[name]!.endsWith(`/${basename(source)}`));
  if (found === undefined) throw new PluginFailure(`npm installed ${source}, but it cannot be told under which name.`);
  return found;
}
