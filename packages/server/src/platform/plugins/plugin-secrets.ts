import { type AskDeps, askPlugin, PluginFailure } from "./ask-plugin.ts";
import type { OpenPlugin } from "./open-plugins.ts";

/** A place where secrets are kept that a plugin knows how to read. */
export interface PluginSecrets {
  /** The names that the operator lets documents ask for; nothing: none are listed. */
  readonly listed: readonly string[] | undefined;
  /** The values by name, as far as there are any; fails with a PluginFailure. */
  read(names: readonly string[], config: unknown, environment: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, string>>;
}

const maxSecret = 64 * 1024;

/** Finds the plugin that has a secret provider of a name; the first that the operator lists, if several do. */
export function pluginSecrets(parts: AskDeps, plugins: readonly OpenPlugin[]) {
  return (provider: string): PluginSecrets | undefined => {
    const plugin = plugins.find(({ secretProviders }) => secretProviders.includes(provider));
    if (plugin === undefined) return undefined;
    const { place, settings } = plugin;
    return {
      listed: settings.secrets,
      read: async (names, config, environment) => {
        const given = settings.env.flatMap((name) => {
          const value = environment[name];
          return value === undefined ? [] : [[name, value] as const];
        });
        const network = settings.network === "allow" ? "all" : "none";
        const question = { ask: "secrets", provider, names, config } as const;
        return readValues(await askPlugin(parts, place, question, { network, env: Object.fromEntries(given) }), names);
      },
    };
  };
}

/** Never with a value in a message. */
function readValues(answer: unknown, names: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const name of names) {
    const value = (answer as Readonly<Record<string, unknown>> | null)?.[name] ?? undefined;
    if (value === undefined) continue;
    if (typeof value !== "string" || value.length > maxSecret)
      throw new PluginFailure(
        `What it answers for the secret '${name}' is no text of at most ${maxSecret} characters.`,
      );
    values.set(name, value);
  }
  return values;
}
