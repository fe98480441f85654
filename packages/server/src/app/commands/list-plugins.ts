import { describePlugin, PluginFailure, placeOf, readPluginSettings } from "../../platform/plugins/index.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import type { Config } from "../config.ts";
import { installedPlugins } from "./add-plugin.ts";

export interface ListedPlugin {
  readonly name: string;
  readonly version: string | null;
  readonly outcome_types: readonly string[];
  /** Whether documents may name it. */
  readonly is_allowed: boolean;
  /** Why it cannot be used; null if it can. */
  readonly reason: string | null;
}

/** Every plugin that is allowed or installed. */
export async function listPlugins(
  config: Pick<Config, "dataFolder" | "sandbox" | "plugins">,
): Promise<readonly ListedPlugin[]> {
  const { dataFolder, plugins } = config;
  const allowed = readPluginSettings(plugins.declared, plugins.file);
  const installed = (await installedPlugins(dataFolder)).filter((name) => !allowed.some((one) => one.name === name));
  const sandbox = await createSandbox({ mode: config.sandbox, dataFolder });
  const listed: ListedPlugin[] = [];
  for (const { name, path } of [...allowed, ...installed.map((one) => ({ name: one, path: undefined }))]) {
    const is_allowed = allowed.some((one) => one.name === name);
    try {
      const { version, outcome_types } = await describePlugin({ sandbox }, placeOf(dataFolder, { name, path }));
      listed.push({ name, version, outcome_types: outcome_types.map((type) => type.name), is_allowed, reason: null });
    } catch (error) {
      if (!(error instanceof PluginFailure)) throw error;
      listed.push({ name, version: null, outcome_types: [], is_allowed, reason: error.message });
    }
  }
  return listed;
}
