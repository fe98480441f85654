import { join, resolve } from "node:path";
import type { PluginSettings } from "./plugin-settings.ts";

/** Where a plugin is installed, and which folders its process must read. */
export interface PluginPlace {
  readonly name: string;
  /** The folder of its package. */
  readonly folder: string;
  readonly readable: readonly string[];
}

/** Where `slipway plugins add` installs. */
export function pluginsFolder(dataFolder: string): string {
  return join(dataFolder, "plugins");
}

export function placeOf(dataFolder: string, { name, path }: Pick<PluginSettings, "name" | "path">): PluginPlace {
  if (path !== undefined) return { name, folder: resolve(path), readable: [resolve(path)] };
  const modules = join(pluginsFolder(dataFolder), "node_modules");
  return { name, folder: join(modules, name), readable: [modules] };
}
