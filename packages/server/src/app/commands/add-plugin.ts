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

/** Installs a package of a plugin beside the service's data, and looks whether it can be used. Nobody may use it yet. */
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
  // Npm takes a folder whose version it has for what it has, whatever is in it.
  const earlier = await nameIn(source);
  if (earlier !== undefined) await rm(join(folder, "node_modules", earlier), { recursive: true, force: true });
  await npm(folder, ["install", "--install-links", "--omit=dev", "--", source], `cannot install ${source}`);
  const name = nameOf(source, known ?? {}, (await dependenciesIn(folder)) ?? {});
  const place = placeOf(dataFolder, { name, path: undefined });
  const sandbox = await createSandbox({ mode: config.sandbox, dataFolder });
  try {
    return { place, about: await describePlugin({ sandbox }, place) };
  } catch (error) {
    // One that was there before stays, broken as it is now: documents that name it are told so.
    if (known?.[name] === undefined) await uninstall(folder, name);
    throw error;
  }
}

/** Removes a package that was installed so; answers whether it was. */
export async function removePlugin({ dataFolder }: Needed, name: string): Promise<boolean> {
  const folder = pluginsFolder(dataFolder);
  if ((await dependenciesIn(folder))?.[name] === undefined) return false;
  await uninstall(folder, name);
  return true;
}

async function uninstall(folder: string, name: string): Promise<void> {
  await npm(folder, ["uninstall", "--", name], `cannot remove ${name}`);
}

/** The name of the package in a folder; nothing if it is none. */
async function nameIn(source: string): Promise<string | undefined> {
  try {
    const { name } = JSON.parse(await readFile(manifestIn(source), "utf8")) as { name?: unknown };
    return typeof name === "string" && packageName.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The names of the packages that were installed so. */
export async function installedPlugins(dataFolder: string): Promise<readonly string[]> {
  return Object.keys((await dependenciesIn(pluginsFolder(dataFolder))) ?? {});
}

/** A folder or a file that is there, by its whole path; else the name of a package; nothing: a path where nothing is. */
async function sourceOf(what: string): Promise<string | undefined> {
  const isThere = await stat(what).then(
    () => true,
    () => false,
  );
  if (isThere) return resolve(what);
  // Npm would look for it elsewhere.
  return /^[./~]/.test(what) ? undefined : what;
}

/** Scripts of packages are not run, and a folder is copied: what changes in it later changes nothing here. */
async function npm(folder: string, [command = "", ...args]: readonly string[], what: string): Promise<void> {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", [command, ...flags, ...args], { cwd: folder });
  } catch (error) {
    const { code, stderr = "" } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === "ENOENT")
      throw new PluginFailure("npm is not here: install it, or name the plugin's folder by 'path'.");
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
