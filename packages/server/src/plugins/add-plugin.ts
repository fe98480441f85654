import { execFile } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Config } from "../config.ts";
import { openDataFolder } from "../database/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { PluginFailure } from "./ask-plugin.ts";
import { describePlugin, type PluginDescription } from "./describe-plugin.ts";
import { type PluginPlace, placeOf, pluginsFolder } from "./plugin-place.ts";

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
  const known = await dependenciesIn(folder);
  if (known === undefined) await writeFile(manifestIn(folder), '{ "private": true }\n');
  await install(folder, source);
  const name = nameOf(source, known ?? {}, (await dependenciesIn(folder)) ?? {});
  const place = placeOf(dataFolder, { name, path: undefined });
  const sandbox = await createSandbox({ mode: config.sandbox, dataFolder });
  return { place, about: await describePlugin({ sandbox }, place) };
}

/** The names of the packages that were installed so. */
export async function installedPlugins(dataFolder: string): Promise<readonly string[]> {
  return Object.keys((await dependenciesIn(pluginsFolder(dataFolder))) ?? {});
}

/** A folder or a file that is there, by its whole path; else the name of a package. */
async function sourceOf(what: string): Promise<string> {
  const isThere = await stat(what).then(
    () => true,
    () => false,
  );
  return isThere ? resolve(what) : what;
}

/** Scripts of packages are not run, and a folder is copied: what changes in it later changes nothing here. */
async function install(folder: string, source: string): Promise<void> {
  const flags = ["--ignore-scripts", "--install-links", "--no-audit", "--no-fund", "--omit=dev", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", ["install", ...flags, "--", source], { cwd: folder });
  } catch (error) {
    const { code, stderr = "" } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === "ENOENT")
      throw new PluginFailure("npm is not here: install it, or name the plugin's folder by 'path'.");
    const why = stderr.trim().split("\n").slice(0, 3).join(" ").slice(0, 500);
    throw new PluginFailure(`npm cannot install ${source}: ${why}`, { cause: error });
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
