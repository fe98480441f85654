import type { Config } from "../config.ts";
import { addPlugin } from "./add-plugin.ts";
import { PluginFailure } from "./ask-plugin.ts";
import { type ListedPlugin, listPlugins } from "./list-plugins.ts";

export const pluginsHelp = `Usage: slipway plugins add <folder, tarball or package> [--json] [options]
       slipway plugins list [--json] [options]

add: install a plugin's package into the data folder, without running scripts of it, and say which line allows it.
list: the plugins that are allowed or installed, and whether each can be used.

Options: --data <folder>, --config <file>, and the others of 'slipway serve'.
`;

interface Printed {
  readonly isJson: boolean;
  readonly print: (text: string) => void;
}

/** `slipway plugins add`; answers why it cannot be, if so. */
export async function addPluginCommand(
  config: Config,
  what: string,
  { isJson, print }: Printed,
): Promise<string | undefined> {
  try {
    const { place, about } = await addPlugin(config, what);
    const types = about.outcome_types.map(({ name }) => name);
    const line = `- name: ${place.name.startsWith("@") ? `"${place.name}"` : place.name}`;
    if (isJson)
      print(`${JSON.stringify({ name: place.name, version: about.version, outcome_types: types, line }, null, 2)}\n`);
    else
      print(
        `Installed ${place.name} ${about.version} (outcome types: ${types.join(", ") || "none"}).\n` +
          `Documents may name it once slipway.yaml allows it, and the service was started anew:\n\nplugins:\n  ${line}\n`,
      );
    return undefined;
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    return `The plugin '${what}' cannot be used. ${error.message}`;
  }
}

/** `slipway plugins list`. */
export async function listPluginsCommand(config: Config, { isJson, print }: Printed): Promise<void> {
  const plugins = await listPlugins(config);
  if (isJson) return print(`${JSON.stringify({ plugins }, null, 2)}\n`);
  if (plugins.length === 0) print("No plugin is allowed or installed. 'slipway plugins add' installs one.\n");
  for (const plugin of plugins) print(`${describe(plugin)}\n`);
}

function describe({ name, version, outcome_types, is_allowed, reason }: ListedPlugin): string {
  const what = reason ?? `outcome types: ${outcome_types.join(", ") || "none"}`;
  return `${name}  ${version ?? "-"}  ${is_allowed ? "allowed" : "not allowed"}  ${what}`;
}
