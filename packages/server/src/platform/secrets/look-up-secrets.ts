import { type CompleteSpec, secretProvider } from "@slipway/spec";
import { PluginFailure, type PluginSecrets } from "../plugins/index.ts";

/** Where secrets may be taken from. */
export interface SecretSources {
  readonly environment: EnvironmentSecrets;
  /** A provider that a plugin defines; nothing if none does. */
  readonly ofPlugin: (provider: string) => PluginSecrets | undefined;
}

/** Where secrets of the environment may be taken from. */
interface EnvironmentSecrets {
  readonly variables: NodeJS.ProcessEnv;
  /** The names that the operator lets documents ask for; nothing: none are listed. */
  readonly listed: readonly string[] | undefined;
  /** Whether nobody but the operator can use the service: then any name may be asked for. */
  readonly isPrivate: boolean;
}

/** The values of a document's secrets by name; or what is wrong, a line for each that is missing. */
export type FoundSecrets =
  | { readonly values: Readonly<Record<string, string>> }
  | { readonly code: "secret_missing" | "secret_provider"; readonly message: string };

/** Whether a document could have a secret, without telling what it is. */
export async function hasSecret(
  sources: SecretSources,
  secrets: NonNullable<CompleteSpec["secrets"]>,
  name: string,
): Promise<boolean> {
  return "values" in (await lookUpSecrets(sources, { secrets: { ...secrets, required: [name] } }));
}

/** Looks a document's secrets up. They are looked up when they are needed, and kept nowhere. */
export async function lookUpSecrets(
  sources: SecretSources,
  { secrets }: Pick<CompleteSpec, "secrets">,
): Promise<FoundSecrets> {
  if (secrets === undefined || secrets.required.length === 0) return { values: {} };
  const { environment } = sources;
  const { name: provider } = secretProvider(secrets.provider);
  const source = provider === "environment" ? variablesOf(environment) : sources.ofPlugin(provider);
  if (source === undefined) return unreachable(provider, "the operator has not declared it.");
  const isAllowed = (name: string) =>
    source.listed === undefined ? environment.isPrivate : source.listed.includes(name);
  let found: ReadonlyMap<string, string>;
  try {
    found = await source.read(secrets.required.filter(isAllowed), secrets.config, environment.variables);
  } catch (error) {
    if (error instanceof PluginFailure) return unreachable(provider, error.message);
    throw error;
  }
  const missing = secrets.required.filter((name) => !found.has(name));
  if (missing.length === 0) return { values: Object.fromEntries(found) };
  const lines = missing.map((name) => `Required secret '${name}' not found in provider '${provider}'`);
  const isOpen = source.listed === undefined && environment.isPrivate;
  const where = provider === "environment" ? "'environment_secrets'" : "'secrets' of the provider's plugin";
  const hint = isOpen ? [] : [`Only what the operator lists in ${where} is served.`];
  return { code: "secret_missing", message: [...lines, ...hint].join("\n") };
}

function unreachable(provider: string, why: string): FoundSecrets {
  return { code: "secret_provider", message: `Unable to authenticate with secret provider '${provider}': ${why}` };
}

/** The service's environment, but for its own variables: those are for nobody else. */
function variablesOf({ variables, listed }: EnvironmentSecrets): PluginSecrets {
  const own = (name: string) => (name.startsWith("SLIPWAY_") ? undefined : variables[name]);
  return {
    listed,
    read: async (names) =>
      new Map(
        names.flatMap((name) => {
          const value = own(name);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
  };
}
