import { Masker } from "../secrets/index.ts";
import { type AskDeps, askPlugin, PluginFailure } from "./ask-plugin.ts";
import type { OpenPlugin } from "./open-plugins.ts";

/** A secret provider that a plugin implements. */
export interface PluginSecrets {
  /** The names that the operator allows documents to use; undefined if the operator lists none. */
  readonly listed: readonly string[] | undefined;
  /** The values of the secrets that exist, by name; throws a PluginFailure. */
  read(names: readonly string[], config: unknown, environment: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, string>>;
}

const maxSecretLength = 64 * 1024;

/** Finds the plugin that implements a secret provider; the first in the order of the settings, if several do. */
export function pluginSecrets(deps: AskDeps, plugins: readonly OpenPlugin[]) {
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
        const answer = await askPlugin(deps, place, question, { network, env: Object.fromEntries(given) }).catch(
          (error: unknown) =>
            withoutValues(
              error,
              given.map(([, value]) => value),
            ),
        );
        return readValues(answer, names);
      },
    };
  };
}

/** What it says of its failure may quote what it was given, such as the token in an address. */
async function withoutValues(error: unknown, values: readonly string[]): Promise<never> {
  if (!(error instanceof PluginFailure)) throw error;
  // Without its cause: the log prints the words of all that an error was made of.
  throw new PluginFailure(await new Masker(values).maskInSlices(error.message));
}

/** Never puts a value into a message. */
function readValues(answer: unknown, names: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const name of names) {
    const value = (answer as Readonly<Record<string, unknown>> | null)?.[name] ?? undefined;
    if (value === undefined) continue;
    if (typeof value !== "string" || value.length > maxSecretLength)
      throw new PluginFailure(
        `What it answers for the secret '${name}' is not a text of at most ${maxSecretLength} characters.`,
      );
    values.set(name, value);
  }
  return values;
}
