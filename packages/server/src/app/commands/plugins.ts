import { PluginFailure } from "../../platform/plugins/index.ts";
import type { Config } from "../config.ts";
import { addPlugin, removePlugin } from "./add-plugin.ts";
import { type ListedPlugin, listPlugins } from "./list-plugins.ts";

export const pluginsHelp = `Usage: slipway plugins add <folder, tarball or package> [--json] [options]
       slipway plugins remove <name> [--json] [options]
       slipway plugins list [--json] [options]

add: install a plugin's package into the data folder, without running scripts of it, and say which line allows it.
     Once more for a new version of it, or after changes in its folder.
remove: remove it from the data folder. Documents that name it are refused after the service restarts.
list: the plugins that are allowed or installed, and whether each can be used.

Options: --data <folder>, --config <file>, and the others of 'slipway serve'.
`;

interface Printed {
  readonly isJson: boolean;
  readonly print: (text: string) => void;
  /** Aborted when the command is to end. */
  readonly signal?: AbortSignal;
}

/** `slipway plugins add`; returns an error message, if it fails. */
export async function addPluginCommand(
  config: Config,
  what: string,
  { isJson, print, signal }: Printed,
): Promise<string | undefined> {
  try {
    const { place, about } = await addPlugin(config, what, signal);
    const types = about.outcome_types.map(({ name }) => name);
    const line = `- name: ${place.name.startsWith("@") ? `"${place.name}"` : place.name}`;
    if (isJson)
      print(`${JSON.stringify({ name: place.name, version: about.version, outcome_types: types, line }, null, 2)}\n`);
    else
      print(
        `Installed ${place.name} ${about.version} (outcome types: ${types.join(", ") || "none"}).\n` +
          `Documents may name it once slipway.yaml allows it and the service has restarted:\n\nplugins:\n  ${line}\n`,
      );
    return undefined;
  } catch (error) {
    if (signal?.aborted === true) return "Interrupted.";
    if (!(error instanceof PluginFailure)) throw error;
    return `The plugin '${what}' cannot be used. ${error.message}`;
  }
}

/** `slipway plugins remove`; returns an error message, if it fails. */
export async function removePluginCommand(
  config: Config,
  name: string,
  { isJson, print }: Printed,
): Promise<string | undefined> {
  if (!(await removePlugin(config, name)))
    return `There is no plugin '${name}' in the data folder. 'slipway plugins list' lists them.`;
  print(isJson ? `${JSON.stringify({ name })}\n` : `Removed ${name}. Remove its line from slipway.yaml, too.\n`);
  return undefined;
}

/** `slipway plugins list`; returns whether every allowed plugin can be used. */
export async function listPluginsCommand(config: Config, { isJson, print }: Printed): Promise<boolean> {
  const plugins = await listPlugins(config);
  const areUsable = plugins.every(({ is_allowed, reason }) => !is_allowed || reason === null);
  if (isJson) {
    print(`${JSON.stringify({ plugins }, null, 2)}\n`);
    return areUsable;
  }
  if (plugins.length === 0) print("No plugin is allowed or installed. 'slipway plugins add' installs one.\n");
  for (const plugin of plugins) print(`${describe(plugin)}\n`);
  return areUsable;
}

function describe({ name, version, outcome_types, is_allowed, reason }: ListedPlugin): string {
  const what = reason === null ? `outcome types: ${outcome_types.join(", ") || "none"}` : `cannot be used: ${reason}`;
  return `${name}  ${version ?? "-"}  ${is_allowed ? "allowed" : "not allowed"}  ${what}`;
}
