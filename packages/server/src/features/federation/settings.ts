import { type Role, roleNames, type Scope, scopeNames, scopesOfRole } from "@slipway/contract";
import { ConfigError } from "../../platform/errors/index.ts";
import { FieldReader } from "../../platform/field-reader.ts";
import { isLoopback } from "../../platform/network/index.ts";

/** Which jobs of a CI service get a key, and what it may do: an entry of `federation` in the config file. */
export interface FederationRule {
  readonly name: string;
  /** Exactly as the token has it. */
  readonly issuer: string;
  readonly audience: string;
  /** Each must match; `*` stands for any text. */
  readonly claims: ReadonlyMap<string, string>;
  readonly role: Role;
  readonly scopes: readonly Scope[];
  /** The team that the key works for; undefined: none. */
  readonly team: string | undefined;
  readonly lifetimeMinutes: number;
}

const keys = ["name", "issuer", "audience", "claims", "role", "scopes", "team", "lifetime_minutes"];
const maxRules = 200;
const defaultScopes: readonly Scope[] = ["projects:create", "projects:read", "artifacts:download"];

/** Issuers that anybody can get tokens of, and the claims that say whose a token is. */
const openIssuers: Readonly<Record<string, readonly string[]>> = {
  "https://token.actions.githubusercontent.com": [
    ...["sub", "repository", "repository_id", "repository_owner", "repository_owner_id", "job_workflow_ref"],
  ],
  "https://gitlab.com": ["sub", "project_path", "project_id", "namespace_path", "namespace_id"],
};

/** Reads `federation` of the config file `where`. Reports all its problems at once. */
export function readFederationRules(value: unknown, where: string, publicUrl: string): readonly FederationRule[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ConfigError(`federation in ${where} must be a list of rules.`);
  const problems: string[] = [];
  if (value.length > maxRules) problems.push(`federation in ${where} must have at most ${maxRules} rules.`);
  const rules = value.slice(0, maxRules).flatMap((entry: unknown, index) => {
    const fields = new FieldReader(entry, { path: `federation[${index}]`, file: where }, problems);
    return fields.isMap ? [readRule(fields, entry as Readonly<Record<string, unknown>>, publicUrl)] : [];
  });
  const names = rules.map(({ name }) => name);
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
    problems.push(`federation in ${where} has two rules named '${name}'.`);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return rules;
}

function readRule(fields: FieldReader, entry: Readonly<Record<string, unknown>>, publicUrl: string): FederationRule {
  fields.onlyKeys(keys, "a federation rule");
  const role = fields.word("role", roleNames) ?? "svc:user";
  const issuer = readIssuer(fields);
  const scopes = fields.has("scopes")
    ? readScopes(fields, role)
    : defaultScopes.filter((scope) => scopesOfRole[role].includes(scope));
  const team = fields.text("team", {
    pattern: /^[a-z0-9][a-z0-9._-]{0,59}$/,
    form: "the name of a team: lower-case letters, digits, dots, dashes and underscores",
  });
  if (team !== undefined && scopes.some((scope) => scope === "agents:manage" || scope === "agents:work"))
    fields.problem("scopes", "must not have agents:manage or agents:work with 'team': agents serve everybody.");
  const lifetime = fields.number("lifetime_minutes", { min: 1, max: 720, isWhole: true });
  return {
    name:
      fields.text("name", {
        isRequired: true,
        pattern: /^[a-z0-9][a-z0-9-]{0,39}$/,
        form: "at most 40 lower-case letters, digits and dashes",
      }) ?? "",
    issuer,
    audience: fields.text("audience", { pattern: /^\S+$/, form: "the token's audience, without spaces" }) ?? publicUrl,
    claims: readClaims(fields, entry["claims"], issuer),
    ...{ role, scopes, team, lifetimeMinutes: lifetime ?? 60 },
  };
}

/** As it is written: the token's must be the same text. */
function readIssuer(fields: FieldReader): string {
  if (!fields.has("issuer")) fields.problem("issuer", "is missing: the address below which /.well-known/ is.");
  const text = fields.url("issuer");
  if (text === undefined) return "";
  const { protocol, hostname } = new URL(text);
  if (protocol !== "https:" && !isLoopback(hostname.replace(/^\[|\]$/g, "")))
    fields.problem("issuer", "must begin with https://; http:// is only for this machine.");
  return text;
}

function readScopes(fields: FieldReader, role: Role): readonly Scope[] {
  const written = fields.texts("scopes");
  const unknown = written.filter((one) => !(scopeNames as readonly string[]).includes(one));
  if (unknown.length > 0) fields.problem("scopes", `must be of ${scopeNames.join(", ")}.`);
  const scopes = scopeNames.filter((scope) => written.includes(scope));
  const beyond = scopes.find((scope) => !scopesOfRole[role].includes(scope));
  if (beyond !== undefined) fields.problem("scopes", `has '${beyond}', which the role ${role} does not have.`);
  return scopes;
}

function readClaims(fields: FieldReader, written: unknown, issuer: string): ReadonlyMap<string, string> {
  const isMap = typeof written === "object" && written !== null && !Array.isArray(written);
  if (!isMap || Object.keys(written).length === 0) {
    fields.problem("claims", "must say which tokens count, such as { repository: acme/shop, ref: refs/heads/main }.");
    return new Map();
  }
  const claims = new Map<string, string>();
  for (const [name, value] of Object.entries(written)) {
    const isScalar = ["string", "number", "boolean"].includes(typeof value) && String(value) !== "";
    if (isScalar) claims.set(name, String(value));
    else fields.problem(`claims.${name}`, "must be a text; '*' in it stands for any text.");
  }
  const tying = openIssuers[issuer.replace(/\/$/, "")];
  if (tying !== undefined && !tying.some((name) => namesOwner(claims.get(name))))
    fields.problem("claims", `must say whose tokens count by one of ${tying.join(", ")}: anybody gets tokens there.`);
  return claims;
}

/** Whether a pattern names an owner, as `acme` and `acme/*` do, and `*` and `acme*` do not. */
function namesOwner(pattern: string | undefined): boolean {
  if (pattern === undefined) return false;
  const [fixed = "", ...rest] = pattern.split("*");
  return rest.length === 0 || /[^/]\//.test(fixed);
}
