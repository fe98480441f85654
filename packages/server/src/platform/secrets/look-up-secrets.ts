import { type CompleteSpec, secretProvider } from "@slipway/spec";
import {
  maxSecretLength,
  ProviderFailure,
  type SecretOwner,
  type SecretProvider,
  type UnusedField,
} from "./secret-provider.ts";

/** The secret providers of this service. */
export interface SecretSources {
  /** A provider that the operator declared; undefined if there is none of this name. */
  readonly find: (provider: string) => SecretProvider | undefined;
  /** Whether only the operator can use the service; then documents may use any name that is not ruled out. */
  readonly isPrivate: boolean;
}

/** The values of a document's secrets by name, or an error with a line for each missing one. */
export type FoundSecrets = { readonly values: Readonly<Record<string, string>> } | SecretsError;

interface SecretsError {
  readonly code: "secret_missing" | "secret_provider";
  readonly message: string;
  /** Whether asking later may help. */
  readonly isTransient: boolean;
}

/** A secret of a document, and whether it exists: never its value. */
export interface ForeseenSecret {
  readonly name: string;
  readonly provider: string;
  readonly isRequired: boolean;
  readonly isFound: boolean;
  /** Why it cannot be had; undefined if it can. */
  readonly reason: string | undefined;
  readonly remedy: string | undefined;
}

/** Some providers are asked for one secret at a time. */
const maxSecrets = 200;

type Secrets = NonNullable<CompleteSpec["secrets"]>;

/** Looks up the secrets of a document when they are needed; nothing of them is stored. */
export async function lookUpSecrets(
  sources: SecretSources,
  { secrets }: Pick<CompleteSpec, "secrets">,
  owner: SecretOwner,
): Promise<FoundSecrets> {
  if (secrets === undefined || namesOf(secrets).length === 0) return { values: {} };
  const asked = await ask(sources, secrets, owner);
  if ("code" in asked) return asked;
  const missing = neededNames(secrets).filter((name) => !asked.found.has(name));
  if (missing.length === 0) return { values: Object.fromEntries(asked.found) };
  const lines = missing.map((name) => notFound(name, asked.provider));
  return { code: "secret_missing", message: [...lines, asked.remedyFor(missing)].join("\n"), isTransient: false };
}

/** Tells which secrets of a document exist, and of the others why not and what to do. */
export async function foreseeSecrets(
  sources: SecretSources,
  { secrets }: Pick<CompleteSpec, "secrets">,
  owner: SecretOwner,
): Promise<readonly ForeseenSecret[]> {
  if (secrets === undefined || namesOf(secrets).length === 0) return [];
  const asked = await ask(sources, secrets, owner);
  const { name: provider } = secretProvider(secrets.provider);
  return namesOf(secrets).map((name) => {
    const isRequired = neededNames(secrets).includes(name);
    const isFound = "found" in asked && asked.found.has(name);
    const reason = isFound ? undefined : "found" in asked ? notFound(name, provider, isRequired) : asked.message;
    const remedy = isFound || "code" in asked ? undefined : asked.remedyFor([name]);
    return { name, provider, isRequired, isFound, reason, remedy };
  });
}

/** What a document says in `secrets` and nobody here heeds. */
export function unusedSecretFields(
  { find }: SecretSources,
  { secrets }: Pick<CompleteSpec, "secrets">,
): readonly UnusedField[] {
  if (secrets === undefined || namesOf(secrets).length === 0) return [];
  const { name, path } = secretProvider(secrets.provider);
  return find(name)?.unused?.({ path, region: secrets.region, config: secrets.config }) ?? [];
}

interface Asked {
  readonly provider: string;
  readonly found: ReadonlyMap<string, string>;
  readonly remedyFor: (missing: readonly string[]) => string;
}

async function ask(sources: SecretSources, secrets: Secrets, owner: SecretOwner): Promise<Asked | SecretsError> {
  const { name: provider, path } = secretProvider(secrets.provider);
  if (namesOf(secrets).length > maxSecrets)
    return unreachable(provider, `the document names more than ${maxSecrets} secrets.`);
  const source = sources.find(provider);
  if (source === undefined) return unreachable(provider, "the operator has not declared it.");
  if (source.owners !== undefined && !source.owners.includes(owner.name))
    return unreachable(provider, `the operator has not allowed it for projects of ${owner.name}.`);
  const isOpen = source.names === undefined && (isOpenToAll(source) || sources.isPrivate);
  const names = namesOf(secrets).filter((name) => isOpen || source.names?.some((listed) => matches(listed, name)));
  const { region, config } = secrets;
  try {
    const found = names.length === 0 ? new Map() : await source.read({ names, path, region, config, owner });
    const unusable = [...found].find(([, value]) => value.includes("\0") || value.length > maxSecretLength)?.[0];
    if (unusable !== undefined)
      return unreachable(provider, `its secret '${unusable}' is not a text of at most ${maxSecretLength} characters.`);
    if ([...found.values()].reduce((sum, value) => sum + value.length, 0) > maxSecretLength)
      return unreachable(
        provider,
        `the secrets of the document have more than ${maxSecretLength} characters together.`,
      );
    const remedyFor = (missing: readonly string[]) =>
      isOpen || missing.every((name) => names.includes(name))
        ? source.howToSet(missing)
        : `Only what the operator lists in ${source.listedIn} is served.`;
    return { provider, found, remedyFor };
  } catch (error) {
    if (error instanceof ProviderFailure) return unreachable(provider, error.message, error.isTransient);
    throw error;
  }
}

/** Whoever the operator named may use every name; a provider that keeps owners apart needs no list. */
function isOpenToAll({ owners, isPerOwner }: SecretProvider): boolean {
  return owners !== undefined || isPerOwner === true;
}

/**
 * The values as programs have them until the software is deployed: what stands in for a secret has its name. Nothing that runs
 * before gets the value of what is deployed.
 */
export function beforeDeployment(
  { secrets }: Pick<CompleteSpec, "secrets">,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const standIns = Object.entries(secrets?.verification ?? {});
  return { ...values, ...Object.fromEntries(standIns.map(([name, other]) => [name, values[other] ?? ""])) };
}

function namesOf(secrets: Secrets): readonly string[] {
  return [...new Set([...neededNames(secrets), ...secrets.optional])];
}

/**
 * Both of a pair: without what stands in for a secret, programs would go where the deployed software goes; without the secret,
 * that would lack what it was verified with.
 */
function neededNames({ required, verification = {} }: Secrets): readonly string[] {
  return [...new Set([...required, ...Object.keys(verification), ...Object.values(verification)])];
}

function matches(listed: string, name: string): boolean {
  return listed.endsWith("*") ? name.startsWith(listed.slice(0, -1)) : name === listed;
}

function notFound(name: string, provider: string, isRequired = true): string {
  return `${isRequired ? "Required" : "Optional"} secret '${name}' not found in provider '${provider}'`;
}

function unreachable(provider: string, why: string, isTransient = false): SecretsError {
  const message = `Unable to authenticate with secret provider '${provider}': ${why}`;
  return { code: "secret_provider", message, isTransient };
}
