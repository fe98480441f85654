import { type CompleteSpec, secretProvider } from "@slipway/spec";
import { PluginFailure, type PluginSecrets } from "../plugins/index.ts";

/** The secret providers of this service. */
export interface SecretSources {
  readonly environment: EnvironmentSecrets;
  /** A provider that a plugin implements; undefined if none does. */
  readonly ofPlugin: (provider: string) => PluginSecrets | undefined;
}

interface EnvironmentSecrets {
  readonly variables: NodeJS.ProcessEnv;
  /** The names that the operator allows documents to use; undefined if the operator lists none. */
  readonly listed: readonly string[] | undefined;
  /** Whether only the operator can use the service; then documents may use any name. */
  readonly isPrivate: boolean;
}

/** The values of a document's secrets by name, or an error with a line for each missing one. */
export type FoundSecrets =
  | { readonly values: Readonly<Record<string, string>> }
  | { readonly code: "secret_missing" | "secret_provider"; readonly message: string };

/** Whether a secret exists, without revealing it. */
export async function hasSecret(
  sources: SecretSources,
  secrets: NonNullable<CompleteSpec["secrets"]>,
  name: string,
): Promise<boolean> {
  return "values" in (await lookUpSecrets(sources, { secrets: { ...secrets, required: [name] } }));
}

/** Looks up the secrets of a document when they are needed; the service stores none of them. */
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

/** The environment of the service, without its own variables. */
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
