import { ConfigError } from "../errors/index.ts";
import { FieldReader } from "../field-reader.ts";

/** A plugin that the operator allows, in `plugins` of the config file. */
export interface PluginSettings {
  /** The package's name, as documents write it. */
  readonly name: string;
  /** The folder of the package; undefined: it is installed in the data folder. */
  readonly path: string | undefined;
  /** Environment variables of the service that its secret providers receive. */
  readonly env: readonly string[];
  /** Whether its secret providers may use the network. */
  readonly network: "allow" | "none";
  /** The secrets that documents may use from its providers; undefined if none are listed. */
  readonly secrets: readonly string[] | undefined;
}

/** The names that npm allows for packages. */
export const packageName = /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/;
const maxPlugins = 50;

/** Reads `plugins` of the config file `where`; reports every problem at once. */
export function readPluginSettings(value: unknown, where: string): readonly PluginSettings[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ConfigError(`plugins in ${where} must be a list, each entry with 'name'.`);
  const problems: string[] = [];
  if (value.length > maxPlugins) problems.push(`plugins in ${where} must have at most ${maxPlugins} entries.`);
  const plugins = value.slice(0, maxPlugins).flatMap((entry, index) => {
    const fields = new FieldReader(entry, { path: `plugins[${index}]`, file: where }, problems);
    return fields.isMap ? [readPlugin(fields)] : [];
  });
  const names = plugins.map(({ name }) => name);
  const twice = names.find((name, index) => name !== "" && names.indexOf(name) !== index);
  if (twice !== undefined) problems.push(`plugins in ${where}: two have the name '${twice}'.`);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return plugins;
}

function readPlugin(fields: FieldReader): PluginSettings {
  fields.onlyKeys(["name", "path", "env", "network", "secrets"], "plugins");
  const form = "the name of a package, such as 'slipway-plugin-platform' or '@acme/platform'";
  return {
    name: fields.text("name", { isRequired: true, pattern: packageName, form }) ?? "",
    path: fields.text("path"),
    env: fields.texts("env", {
      pattern: /^(?!SLIPWAY_)[A-Za-z_][A-Za-z0-9_]{0,199}$/,
      form: "names of environment variables, such as VAULT_TOKEN, and not of SLIPWAY_…",
    }),
    network: fields.word("network", ["allow", "none"]) ?? "none",
    secrets: fields.has("secrets") ? fields.texts("secrets") : undefined,
  };
}
