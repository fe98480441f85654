import { type CompleteSpec, secretProvider } from "@slipway/spec";

/** Where secrets of the environment may be taken from. */
export interface EnvironmentSecrets {
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
export function hasSecret(
  environment: EnvironmentSecrets,
  secrets: NonNullable<CompleteSpec["secrets"]>,
  name: string,
) {
  return "values" in lookUpSecrets(environment, { secrets: { ...secrets, required: [name] } });
}

/** Looks a document's secrets up. They are looked up when they are needed, and kept nowhere. */
export function lookUpSecrets(
  environment: EnvironmentSecrets,
  { secrets }: Pick<CompleteSpec, "secrets">,
): FoundSecrets {
  if (secrets === undefined || secrets.required.length === 0) return { values: {} };
  const { name: provider } = secretProvider(secrets.provider);
  if (provider !== "environment") {
    const message = `Unable to authenticate with secret provider '${provider}': the operator has not declared it.`;
    return { code: "secret_provider", message };
  }
  const found = secrets.required.map((name) => ({ name, value: readVariable(environment, name) }));
  const missing = found.filter(({ value }) => value === undefined);
  if (missing.length > 0) {
    const lines = missing.map(({ name }) => `Required secret '${name}' not found in provider '${provider}'`);
    return { code: "secret_missing", message: [...lines, ...hintFor(environment)].join("\n") };
  }
  return { values: Object.fromEntries(found.map(({ name, value }) => [name, value!])) };
}

function readVariable({ variables, listed, isPrivate }: EnvironmentSecrets, name: string): string | undefined {
  // The service's own variables are for nobody else.
  if (name.startsWith("SLIPWAY_")) return undefined;
  const isAllowed = listed === undefined ? isPrivate : listed.includes(name);
  return isAllowed ? variables[name] : undefined;
}

function hintFor({ listed, isPrivate }: EnvironmentSecrets): string[] {
  if (listed === undefined && isPrivate) return [];
  return ["Only what the operator lists in 'environment_secrets' is served."];
}
