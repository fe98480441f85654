import { shortened, storableText } from "../../../platform/one-line.ts";
import type { OauthSettings } from "../settings.ts";
import { selectEntraRoles } from "./entra-groups.ts";
import { GoogleDirectory } from "./google-groups.ts";
import { type ClientDeps, OpenIdClient } from "./openid-client.ts";
import { type Dial, type Grant, type Provider, ProviderRefusal, type ProviderTokens } from "./provider.ts";
import { unreadable } from "./read-json.ts";

interface Deps extends ClientDeps {
  readonly settings: OauthSettings;
  /** Looks up what the settings write as `{{secrets.NAME}}`. */
  readonly readSecret: (written: string) => Promise<string>;
}

type Claims = Readonly<Record<string, unknown>>;

interface Answer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  claims(): Claims | undefined;
}

/** Google, Entra, and every other provider that speaks OpenID Connect. */
export function openIdProvider(deps: Deps): Provider {
  const { settings } = deps;
  const client = new OpenIdClient(deps, { issuer: settings.issuer });
  const directory = settings.directory && new GoogleDirectory({ ...deps, directory: settings.directory });

  const grantOf = async (claims: Claims, info: Claims, tokens: ProviderTokens): Promise<Grant> => ({
    subject: subjectOf(settings, claims),
    // Signs that nobody sees stay: without them, it could be another's name.
    userName: shortened(storableText(userNameOf(settings, { ...info, ...claims })), maxNameLength),
    roles: (await rolesOf(deps, directory, claims, info, tokens)).filter(isRoleName),
    tokens,
  });

  return {
    begin: (checks) =>
      client.begin(checks, scopesOf(settings), {
        // Google gives a refresh token only if asked like this.
        ...(settings.kind === "google" && { access_type: "offline", prompt: "consent" }),
        // The standard: without consent, 'offline_access' is ignored.
        ...(settings.kind === "custom" && { prompt: "consent" }),
      }),

    finish: async (address, checks) => {
      const answer: Answer = await client.exchange(address, checks);
      const claims = answer.claims() ?? {};
      const info = settings.kind === "custom" ? await client.userInfo(answer.access_token, String(claims["sub"])) : {};
      return grantOf(claims, info, tokensOf(answer));
    },

    check: async (subject, old, keep) => {
      if (old.refreshToken === undefined) {
        // Entra and Google tell roles in ID tokens, which only a refresh token brings.
        if (settings.kind !== "custom")
          throw new ProviderRefusal(`${settings.label} gave no refresh token: sign in again.`, { isFinal: true });
        const info = await client.userInfo(old.accessToken, subject);
        return grantOf({ sub: subject }, info, old);
      }
      const answer: Answer = await client.refresh(old.refreshToken);
      const tokens = tokensOf(answer, old);
      if (tokens.refreshToken !== old.refreshToken) await keep(tokens);
      // What says nothing of roles takes nobody's away.
      if (answer.id_token === undefined && settings.kind !== "custom") throw unreadable(settings.label);
      const claims = answer.claims() ?? { sub: subject };
      if (claims["sub"] !== subject)
        throw new ProviderRefusal(`${settings.label} answered for somebody else.`, { isFinal: true });
      const needsInfo = settings.kind === "custom";
      return grantOf(claims, needsInfo ? await client.userInfo(answer.access_token, subject) : {}, tokens);
    },

    revoke: ({ refreshToken, accessToken }) => client.revoke(refreshToken ?? accessToken),
  };
}

/** What to ask for: what the operator wrote, and always what makes it OpenID Connect. */
function scopesOf({ kind, scopes }: OauthSettings): readonly string[] {
  const usual = {
    google: ["email", "profile"],
    azure: ["email", "profile", "offline_access", "User.Read"],
    custom: ["email", "profile", "offline_access"],
    github: [],
  }[kind];
  return [...new Set(["openid", ...(scopes.length > 0 ? scopes : usual)])];
}

function tokensOf({ access_token, refresh_token, id_token }: Answer, old?: ProviderTokens): ProviderTokens {
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? old?.refreshToken,
    idToken: id_token ?? old?.idToken,
  };
}

async function rolesOf(
  { settings, dial }: { readonly settings: OauthSettings; readonly dial: Dial },
  directory: GoogleDirectory | undefined,
  claims: Claims,
  info: Claims,
  { accessToken }: ProviderTokens,
): Promise<readonly string[]> {
  switch (settings.kind) {
    case "google": {
      // Without `hd` it is somebody's private account, whatever its address says.
      const domain = textOf(claims["hd"])?.toLowerCase();
      if (domain === undefined) return [];
      const email = claims["email_verified"] === true ? textOf(claims["email"]) : undefined;
      const groups = directory === undefined || email === undefined ? [] : await directory.groupsOf(email);
      return [domain, ...groups];
    }
    case "azure":
      return selectEntraRoles({ dial, graphUrl: settings.apiUrl, label: settings.label }, claims, accessToken);
    case "custom":
      return [...textsAt(claims, settings.rolesAt), ...textsAt(info, settings.rolesAt)];
    case "github":
      return [];
  }
}

const maxNameLength = 500;

/** Whatever else a provider sends can neither be stored nor mapped. */
function isRoleName(name: string): boolean {
  return name.length <= maxNameLength && storableText(name) === name;
}

/**
 * Who somebody is: at most 255 characters, by the standard. With much more there is no row for them, and written otherwise
 * two people could become one.
 */
function subjectOf({ label }: OauthSettings, { sub }: Claims): string {
  const subject = String(sub);
  if (subject.length <= 255 && storableText(subject) === subject) return subject;
  throw new ProviderRefusal(`${label} names you by an id that is not valid.`, { isFinal: true });
}

/** What somebody is called here. Only addresses that the provider has verified: approvals go by names. */
function userNameOf({ kind }: OauthSettings, claims: Claims): string {
  const email = kind !== "azure" && claims["email_verified"] === true ? textOf(claims["email"]) : undefined;
  return email ?? textOf(claims["preferred_username"]) ?? String(claims["sub"]);
}

/** The texts at a JSON pointer: one, or a list. */
function textsAt(value: unknown, pointer: string): readonly string[] {
  let found = value;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, key) ? (found as Claims)[key] : undefined;
  }
  return (Array.isArray(found) ? found : [found]).filter((item) => typeof item === "string").slice(0, 10_000);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
