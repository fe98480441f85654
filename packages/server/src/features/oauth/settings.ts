import { type Role, roleNames } from "@slipway/contract";
import { ConfigError } from "../../platform/errors/index.ts";
import { FieldReader } from "../../platform/field-reader.ts";
import { isLoopback } from "../../platform/network/index.ts";
import { withoutEndSlashes } from "../../platform/without-end-slashes.ts";

const providerKinds = ["github", "google", "azure", "custom"] as const;

type ProviderKind = (typeof providerKinds)[number];

/** A provider that people sign in with, as `oauth` in the config file declares it. */
export interface OauthSettings {
  readonly kind: ProviderKind;
  /** Part of addresses, and of the identities that are stored. */
  readonly name: string;
  /** What people read on the button. */
  readonly label: string;
  readonly clientId: string;
  /** As it is written: it may be `{{secrets.NAME}}`. */
  readonly clientSecret: string;
  /** Where `{{secrets.NAME}}` is looked up. */
  readonly secretProvider: string;
  /** What to ask the provider for; empty: what the roles need. */
  readonly scopes: readonly string[];
  /** From roles, groups or teams at the provider to roles here. */
  readonly roleMapping: ReadonlyMap<string, Role>;
  /** From the same to names of teams here. */
  readonly teamMapping: ReadonlyMap<string, string>;
  /** Where the provider is. */
  readonly issuer: string;
  /** The other address that the provider answers at: GitHub's API, Google's directory, Microsoft Graph. */
  readonly apiUrl: string;
  /** A JSON pointer to the roles in claims or userinfo; only for `custom`. */
  readonly rolesAt: string;
  /** The service account that reads Google's groups; undefined: groups are not mapped. */
  readonly directory: DirectorySettings | undefined;
}

/** A Google service account with domain-wide delegation. */
export interface DirectorySettings {
  /** The JSON of its key, or `{{secrets.NAME}}`. */
  readonly key: string;
  /** The administrator in whose name it reads. */
  readonly subject: string;
}

const maxProviders = 20;
const keysOfAll = ["provider", "name", "label", "client_id", "client_secret", "secret_provider", "scopes"];
const keysOf: Readonly<Record<ProviderKind, readonly string[]>> = {
  github: ["organization", "url", "api_url"],
  google: ["hosted_domain", "directory", "issuer", "api_url"],
  azure: ["tenant", "issuer", "api_url"],
  custom: ["issuer", "roles_at"],
};
const labels = { github: "GitHub", google: "Google", azure: "Microsoft", custom: "single sign-on" } as const;

/** Reads `oauth` of the config file `where`: one provider, or a list of them. Reports all its problems at once. */
export function readOauthSettings(value: unknown, where: string): readonly OauthSettings[] {
  if (value === undefined || value === null) return [];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const problems: string[] = [];
  if (entries.length > maxProviders) problems.push(`oauth in ${where} must have at most ${maxProviders} providers.`);
  const settings = entries.slice(0, maxProviders).flatMap((entry, index) => {
    const path = Array.isArray(value) ? `oauth[${index}]` : "oauth";
    const fields = new FieldReader(entry, { path, file: where }, problems);
    return fields.isMap ? [readProvider(fields, entry as Readonly<Record<string, unknown>>)] : [];
  });
  const names = settings.map(({ name }) => name);
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
    problems.push(`oauth in ${where} has two providers named '${name}': give one of them another 'name'.`);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return settings;
}

function readProvider(fields: FieldReader, entry: Readonly<Record<string, unknown>>): OauthSettings {
  const kind = fields.word("provider", providerKinds, { isRequired: true }) ?? "custom";
  if (fields.has("provider"))
    fields.onlyKeys([...keysOfAll, ...keysOf[kind], "role_mapping", "team_mapping"], `a ${kind} provider`);
  const name = fields.text("name", {
    pattern: /^[a-z0-9][a-z0-9-]{0,39}$/,
    form: "at most 40 lower-case letters, digits and dashes",
  });
  const directory = readDirectory(fields);
  return {
    kind,
    name: name ?? kind,
    label: fields.text("label", { pattern: /^[^\p{Cc}]{1,60}$/u, form: "at most 60 characters" }) ?? labels[kind],
    clientId: fields.text("client_id", { isRequired: true }) ?? "",
    clientSecret: readSecret(fields, "client_secret"),
    secretProvider: fields.text("secret_provider") ?? "environment",
    scopes: fields.texts("scopes", { pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/, form: "scopes, without spaces" }),
    ...readMappings(fields, entry, kind, directory !== undefined),
    ...readPlace(fields, kind),
    rolesAt:
      fields.text("roles_at", { pattern: /^(?:\/[^/]*)+$/, form: "a JSON pointer such as /realm_access/roles" }) ??
      "/roles",
    directory,
  };
}

function readSecret(fields: FieldReader, key: string): string {
  const text = fields.text(key, { isRequired: true }) ?? "";
  if (/\{\{/.test(text) && secretReference(text) === undefined)
    fields.problem(key, "must be a text or exactly one reference such as '{{secrets.OAUTH_SECRET}}'.");
  return text;
}

/** The name in `{{secrets.NAME}}`; undefined if the text is not a reference. */
export function secretReference(text: string): string | undefined {
  return /^\{\{\s*secrets\.([A-Za-z0-9_][A-Za-z0-9_.-]{0,199})\s*\}\}$/.exec(text)?.[1];
}

/** Where the provider and its API are. */
function readPlace(fields: FieldReader, kind: ProviderKind): Pick<OauthSettings, "issuer" | "apiUrl"> {
  switch (kind) {
    case "github": {
      const issuer = safeUrl(fields, "url") ?? "https://github.com";
      const usual = issuer === "https://github.com" ? "https://api.github.com" : `${issuer}/api/v3`;
      return { issuer, apiUrl: safeUrl(fields, "api_url") ?? usual };
    }
    case "google":
      return {
        issuer: safeUrl(fields, "issuer") ?? "https://accounts.google.com",
        apiUrl: safeUrl(fields, "api_url") ?? "https://admin.googleapis.com",
      };
    case "azure": {
      // With 'common' or 'organizations', every organisation's administrators could name their people's roles here.
      const tenant = fields.text("tenant", {
        isRequired: true,
        pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
        form: "the id of your tenant, such as 72f988bf-86f1-41af-91ab-2d7cd011db47",
      });
      return {
        issuer: safeUrl(fields, "issuer") ?? `https://login.microsoftonline.com/${tenant}/v2.0`,
        apiUrl: safeUrl(fields, "api_url") ?? "https://graph.microsoft.com",
      };
    }
    case "custom": {
      if (!fields.has("issuer")) fields.problem("issuer", "is missing: the address below which /.well-known/ is.");
      return { issuer: safeUrl(fields, "issuer") ?? "", apiUrl: "" };
    }
  }
}

/** Tokens travel there: without encryption only on this machine. */
function safeUrl(fields: FieldReader, key: string): string | undefined {
  const written = fields.url(key);
  if (written === undefined) return undefined;
  const text = withoutEndSlashes(written);
  const { protocol, hostname } = new URL(text);
  if (protocol === "https:" || isLoopback(hostname.replace(/^\[|\]$/g, ""))) return text;
  fields.problem(key, "must begin with https://; http:// is only for this machine.");
  return undefined;
}

function readDirectory(fields: FieldReader): DirectorySettings | undefined {
  if (!fields.has("directory")) return undefined;
  const directory = fields.nested("directory");
  if (!directory.isMap) return undefined;
  directory.onlyKeys(["key", "subject"], "directory");
  return {
    key: readSecret(directory, "key"),
    subject:
      directory.text("subject", {
        isRequired: true,
        pattern: /^[^\s@]+@[^\s@]+$/,
        form: "the e-mail address of an administrator of your domain",
      }) ?? "",
  };
}

function readMappings(
  fields: FieldReader,
  { role_mapping: roles, team_mapping: teams = {}, organization, hosted_domain }: Readonly<Record<string, unknown>>,
  kind: ProviderKind,
  readsGroups: boolean,
): Pick<OauthSettings, "roleMapping" | "teamMapping"> {
  const home = homeOf(fields, kind, kind === "github" ? organization : hosted_domain);
  const toExternal = (key: string, name: string) => {
    const external = externalName(kind, name, home);
    if (typeof external !== "string") fields.problem(key, external.problem);
    else if (kind !== "google" || !external.includes("@") || readsGroups) return external;
    else fields.problem(key, "is a group: set 'directory', the service account that reads groups.");
    return undefined;
  };
  if (!isMap(roles) || Object.keys(roles).length === 0)
    fields.problem("role_mapping", `must map roles, groups or teams to ${roleNames.join(", ")}: nobody else gets in.`);
  if (!isMap(teams)) fields.problem("team_mapping", "must map roles, groups or teams to names of teams here.");
  return {
    roleMapping: readMapping(fields, "role_mapping", roles, toExternal, {
      read: (value) => roleNames.find((one) => one === value),
      form: `must be one of ${roleNames.join(", ")}.`,
    }),
    teamMapping: readMapping(fields, "team_mapping", teams, toExternal, {
      read: (value) => (typeof value === "string" && /^[a-z0-9][a-z0-9._-]{0,59}$/.test(value) ? value : undefined),
      form: "must be the name of a team: lower-case letters, digits, dots, dashes and underscores.",
    }),
  };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readMapping<T>(
  fields: FieldReader,
  mappingKey: string,
  written: unknown,
  toExternal: (key: string, name: string) => string | undefined,
  { read, form }: { readonly read: (value: unknown) => T | undefined; readonly form: string },
): ReadonlyMap<string, T> {
  const mapping = new Map<string, T>();
  for (const [name, value] of Object.entries(isMap(written) ? written : {})) {
    const key = `${mappingKey}.${name}`;
    const known = read(value);
    if (known === undefined) fields.problem(key, form);
    const external = toExternal(key, name);
    if (external !== undefined && known !== undefined) mapping.set(external, known);
  }
  return mapping;
}

/** The organisation or domain that plain names belong to. */
function homeOf(fields: FieldReader, kind: ProviderKind, value: unknown): string | undefined {
  if (value === undefined || value === null || (kind !== "github" && kind !== "google")) return undefined;
  const [key, pattern, form] =
    kind === "github"
      ? (["organization", /^[a-z0-9][a-z0-9-]{0,38}$/i, "the name of an organisation, such as acme"] as const)
      : (["hosted_domain", /^[a-z0-9.-]+\.[a-z]{2,}$/i, "your domain, such as example.com"] as const);
  return fields.text(key, { pattern, form })?.toLowerCase();
}

/**
 * The name under which the provider's answers are looked up. Anybody can found an organisation with a team named 'admin', so
 * a plain name counts only within the operator's own.
 */
function externalName(
  kind: ProviderKind,
  name: string,
  home: string | undefined,
): string | { readonly problem: string } {
  switch (kind) {
    case "github": {
      const lower = name.toLowerCase();
      if (/^[a-z0-9][a-z0-9-]*\/(?:\*|[a-z0-9][\w.-]*)$/.test(lower)) return lower;
      if (home !== undefined && /^(?:\*|[a-z0-9][\w.-]*)$/.test(lower)) return `${home}/${lower}`;
      return {
        problem: "must be '<organisation>/<team>' or '<organisation>/*'; or set 'organization' and name teams.",
      };
    }
    case "google": {
      const lower = name.toLowerCase();
      if (/^[^\s@]+@[a-z0-9.-]+$/.test(lower) || /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(lower)) return lower;
      if (home !== undefined) return lower === "*" ? home : `${lower}@${home}`;
      return {
        problem: "must be a domain or the address of a group; or set 'hosted_domain' and name groups without it.",
      };
    }
    case "azure":
    case "custom":
      return name;
  }
}
