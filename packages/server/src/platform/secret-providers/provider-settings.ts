import { ConfigError } from "../errors/index.ts";
import { FieldReader } from "../field-reader.ts";
import { withoutEndSlashes } from "../without-end-slashes.ts";

/** A secret provider, in `secret_providers` of the config file. */
export type ProviderSettings = Common & KindSettings;

interface Common {
  /** As documents write it. */
  readonly name: string;
  /** The secrets that documents may use; undefined: not listed. */
  readonly names: readonly string[] | undefined;
  /** The names of the users whose documents may use it; undefined: not listed. */
  readonly owners: readonly string[] | undefined;
}

export type KindSettings =
  | FileSettings
  | MountedSettings
  | VaultSettings
  | AwsSettings
  | GcpSettings
  | AzureSettings
  | ExecSettings;

export interface FileSettings {
  readonly kind: "file";
  /** A dotenv file, or a folder of them. */
  readonly path: string;
}

export interface MountedSettings {
  readonly kind: "kubernetes";
  /** A folder with a file for each secret. */
  readonly path: string;
}

export interface VaultSettings {
  readonly kind: "vault";
  readonly url: string;
  /** Of the KV engine, version 2. */
  readonly mount: string;
  readonly path: string;
  readonly namespace: string | undefined;
  readonly credentials:
    | { readonly is: "token"; readonly tokenEnv: string }
    | { readonly is: "approle"; readonly mount: string; readonly roleIdEnv: string; readonly secretIdEnv: string };
}

export interface AwsSettings {
  readonly kind: "aws-secrets-manager";
  /** The first is the default; documents may choose among them. */
  readonly regions: readonly string[];
  /** Undefined: AWS's own. */
  readonly url: string | undefined;
  readonly path: string;
  readonly format: SecretFormat;
  /** Undefined: AWS's usual credential chain. */
  readonly key: { readonly idEnv: string; readonly secretEnv: string } | undefined;
}

export interface GcpSettings {
  readonly kind: "gcp-secret-manager";
  readonly project: string;
  /** Undefined: Google's own. */
  readonly url: string | undefined;
  readonly path: string;
  readonly format: SecretFormat;
  /** A key file of a service account; undefined: Google's usual credential chain. */
  readonly keyFile: string | undefined;
}

export interface AzureSettings {
  readonly kind: "azure-key-vault";
  readonly url: string;
  /** Where tokens come from; undefined: Azure's public cloud. */
  readonly authority: string | undefined;
  readonly path: string;
  readonly format: SecretFormat;
  /** Undefined: Azure's usual credential chain. */
  readonly client: { readonly tenantId: string; readonly clientId: string; readonly secretEnv: string } | undefined;
}

export interface ExecSettings {
  readonly kind: "exec";
  /** A program and its arguments; `{name}` and `{path}` in them are replaced. */
  readonly command: readonly string[];
  /** Environment variables of the service that it receives, beside PATH and HOME. */
  readonly env: readonly string[];
  /** What it says on standard error when a secret does not exist. */
  readonly notFound: string | undefined;
  readonly timeoutMs: number;
}

/** `text`: a secret is a value; `json`: one secret holds all values, by name. */
export type SecretFormat = "text" | "json";

const kinds = [
  "file",
  "kubernetes",
  "vault",
  "aws-secrets-manager",
  "gcp-secret-manager",
  "azure-key-vault",
  "exec",
] as const;
type Kind = (typeof kinds)[number];

const common = ["name", "kind", "names", "owners"];
const keysOf: Readonly<Record<Kind, readonly string[]>> = {
  file: ["path"],
  kubernetes: ["path"],
  vault: ["url", "mount", "path", "namespace", "token_env", "role_id_env", "secret_id_env", "approle_mount"],
  "aws-secrets-manager": ["regions", "url", "path", "format", "access_key_id_env", "secret_access_key_env"],
  "gcp-secret-manager": ["project", "url", "path", "format", "key_file"],
  "azure-key-vault": ["url", "authority", "path", "format", "tenant_id", "client_id", "client_secret_env"],
  exec: ["command", "env", "not_found", "timeout_seconds"],
};

/** Providers that every service has. */
const builtIn = ["environment", "slipway"];
const maxProviders = 50;
const variable = {
  pattern: /^(?!SLIPWAY_)[A-Za-z_][A-Za-z0-9_]{0,199}$/,
  form: "the name of an environment variable, such as VAULT_TOKEN, and not of SLIPWAY_…",
};
const pathRules = {
  pattern: /^[\w.@-]+(\/[\w.@-]+)*$/,
  form: "names separated by '/', such as teams/shop",
};
const absolute = { isRequired: true, pattern: /^\//, form: "an absolute path" };

/** Reads `secret_providers` of the config file `where`; reports every problem at once. */
export function readProviderSettings(value: unknown, where: string): readonly ProviderSettings[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new ConfigError(`secret_providers in ${where} must be a list, each entry with 'kind'.`);
  const problems: string[] = [];
  if (value.length > maxProviders)
    problems.push(`secret_providers in ${where} must have at most ${maxProviders} entries.`);
  const providers = value.slice(0, maxProviders).flatMap((entry, index) => {
    const fields = new FieldReader(entry, { path: `secret_providers[${index}]`, file: where }, problems);
    const kind = fields.isMap ? fields.word("kind", kinds, { isRequired: true }) : undefined;
    return kind === undefined ? [] : [readProvider(fields, kind)];
  });
  const names = providers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) problems.push(`secret_providers in ${where}: two have the name '${twice}'.`);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return providers;
}

function readProvider(fields: FieldReader, kind: Kind): ProviderSettings {
  fields.onlyKeys([...common, ...keysOf[kind]], `a provider of kind ${kind}`);
  const form = "a name as in 'vault://teams/shop', of lower-case letters, digits and dashes";
  const name = fields.text("name", { pattern: /^[a-z][a-z0-9-]{0,59}$/, form }) ?? kind;
  if (builtIn.includes(name) || name === "env")
    fields.problem("name", `must not be ${[...builtIn, "env"].join(", ")}: every service has these providers.`);
  return {
    name,
    names: fields.has("names") ? fields.texts("names") : undefined,
    owners: fields.has("owners") ? fields.texts("owners") : undefined,
    ...readKind(fields, kind),
  };
}

function readKind(fields: FieldReader, kind: Kind): KindSettings {
  const path = () => fields.text("path", pathRules) ?? "";
  const format = () => fields.word("format", ["text", "json"]) ?? "text";
  switch (kind) {
    case "file":
    case "kubernetes":
      return { kind, path: fields.text("path", absolute) ?? "" };
    case "vault":
      return {
        kind,
        url: requiredUrl(fields),
        mount: fields.text("mount", pathRules) ?? "secret",
        path: path(),
        namespace: fields.text("namespace", pathRules),
        credentials: vaultCredentials(fields),
      };
    case "aws-secrets-manager":
      return {
        kind,
        regions: regionsOf(fields),
        url: fields.url("url"),
        path: path(),
        format: format(),
        key: pairOf(fields, ["access_key_id_env", "secret_access_key_env"], ([idEnv, secretEnv]) => ({
          idEnv,
          secretEnv,
        })),
      };
    case "gcp-secret-manager":
      return {
        kind,
        project: fields.text("project", { isRequired: true, pattern: /^[a-z0-9.:-]+$/, form: "a project's id" }) ?? "",
        url: fields.url("url"),
        path: path(),
        format: format(),
        keyFile: fields.text("key_file", { ...absolute, isRequired: false }),
      };
    case "azure-key-vault":
      return {
        kind,
        url: requiredUrl(fields),
        authority: fields.url("authority"),
        path: path(),
        format: format(),
        client: azureClient(fields),
      };
    case "exec":
      return {
        kind,
        command: commandOf(fields),
        env: fields.texts("env", { ...variable, form: "names of environment variables, and not of SLIPWAY_…" }),
        notFound: fields.text("not_found"),
        timeoutMs: (fields.number("timeout_seconds", { min: 1, max: 300 }) ?? 20) * 1000,
      };
  }
}

/** The variables of the service's environment that hold a provider's credentials. */
export function credentialVariables(settings: KindSettings): readonly string[] {
  switch (settings.kind) {
    case "vault": {
      const { credentials } = settings;
      return credentials.is === "token" ? [credentials.tokenEnv] : [credentials.roleIdEnv, credentials.secretIdEnv];
    }
    case "aws-secrets-manager":
      return settings.key === undefined ? [] : [settings.key.idEnv, settings.key.secretEnv];
    case "azure-key-vault":
      return settings.client === undefined ? [] : [settings.client.secretEnv];
    case "exec":
      return settings.env;
    case "file":
    case "kubernetes":
    case "gcp-secret-manager":
      return [];
  }
}

function requiredUrl(fields: FieldReader): string {
  if (!fields.has("url")) fields.problem("url", "is missing.");
  return withoutEndSlashes(fields.url("url") ?? "");
}

function vaultCredentials(fields: FieldReader): VaultSettings["credentials"] {
  const tokenEnv = fields.text("token_env", variable);
  const approle = pairOf(fields, ["role_id_env", "secret_id_env"], ([roleIdEnv, secretIdEnv]) => ({
    roleIdEnv,
    secretIdEnv,
  }));
  if ((tokenEnv === undefined) === (approle === undefined))
    fields.problem("", "needs 'token_env', or both 'role_id_env' and 'secret_id_env'.");
  if (approle === undefined) return { is: "token", tokenEnv: tokenEnv ?? "" };
  return { is: "approle", mount: fields.text("approle_mount", pathRules) ?? "approle", ...approle };
}

function azureClient(fields: FieldReader): AzureSettings["client"] {
  const id = { pattern: /^[\w.-]+$/, form: "an id, such as 72f988bf-86f1-41af-91ab-2d7cd011db47" };
  const [tenantId, clientId] = [fields.text("tenant_id", id), fields.text("client_id", id)];
  const secretEnv = fields.text("client_secret_env", variable);
  if (tenantId !== undefined && clientId !== undefined && secretEnv !== undefined)
    return { tenantId, clientId, secretEnv };
  if ((tenantId ?? clientId ?? secretEnv) !== undefined)
    fields.problem("", "needs 'tenant_id', 'client_id' and 'client_secret_env' together, or none of them.");
  return undefined;
}

function regionsOf(fields: FieldReader): readonly string[] {
  const regions = fields.texts("regions", { pattern: /^[a-z]{2,4}(-[a-z0-9]+)+$/, form: "regions, such as eu-west-1" });
  if (!fields.has("regions") || regions.length === 0) fields.problem("regions", "must list at least one region.");
  return regions;
}

function commandOf(fields: FieldReader): readonly string[] {
  const command = fields.texts("command");
  const [program] = command;
  if (program === undefined || /[{}]/.test(program))
    fields.problem("command", "must be a list of a program and its arguments, such as [pass, show, '{name}'].");
  return command;
}

function pairOf<T>(
  fields: FieldReader,
  keys: readonly [string, string],
  make: (pair: readonly [string, string]) => T,
): T | undefined {
  const [first, second] = [fields.text(keys[0], variable), fields.text(keys[1], variable)];
  if (first !== undefined && second !== undefined) return make([first, second]);
  if (fields.has(keys[0]) !== fields.has(keys[1])) fields.problem("", `needs '${keys[0]}' and '${keys[1]}' together.`);
  return undefined;
}
