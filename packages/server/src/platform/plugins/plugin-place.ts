import { join, resolve } from "node:path";
import type { PluginSettings } from "./plugin-settings.ts";

/** Where a plugin is installed, and which folders its process must read. */
export interface PluginPlace {
  readonly name: string;
  /** The folder of its package. */
  readonly folder: string;
  readonly readable: readonly string[];
}

/** Where `slipway plugins add` installs: a folder a plugin. */
export function pluginsFolder(dataFolder: string): string {
  return join(dataFolder, "plugins");
}

/** Where a plugin is installed with all it needs, apart from others, whose secrets and network it does not share. */
export function folderOfPlugin(dataFolder: string, name: string): string {
  return join(pluginsFolder(dataFolder), name.replace("/", "+"));
}

/** The plugin of such a folder. No package has a '+' in its name. */
export function pluginOfFolder(folder: string): string {
  return folder.replace("+", "/");
}

export function placeOf(dataFolder: string, { name, path }: Pick<PluginSettings, "name" | "path">): PluginPlace {
  if (path !== undefined) return { name, folder: resolve(path), readable: [resolve(path)] };
  return placeWithin(folderOfPlugin(dataFolder, name), name);
}

/** The place of a plugin that npm has installed into a folder. */
export function placeWithin(folder: string, name: string): PluginPlace {
  const modules = join(folder, "node_modules");
  return { name, folder: join(modules, name), readable: [modules] };
}
