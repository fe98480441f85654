import type { OauthSettings } from "../settings.ts";
import { type ClientDeps, OpenIdClient } from "./openid-client.ts";
import { type Dial, type Grant, type Provider, ProviderRefusal, type ProviderTokens } from "./provider.ts";
import { bounded, fieldsOf, readJson, requireList, unreadable } from "./read-json.ts";

interface Deps extends ClientDeps {
  readonly settings: OauthSettings;
}

const usualScopes = ["read:user", "read:org"];
const maxPages = 20;

/** GitHub, which speaks OAuth 2.0 without OpenID Connect: its API says who somebody is and which teams they are in. */
export function gitHubProvider(deps: Deps): Provider {
  const { settings } = deps;
  const dial: Dial = async (url, init) => refusalOr(await deps.dial(url, init));
  const client = new OpenIdClient(
    { ...deps, dial },
    {
      known: {
        issuer: settings.issuer,
        authorization_endpoint: `${settings.issuer}/login/oauth/authorize`,
        token_endpoint: `${settings.issuer}/login/oauth/access_token`,
      },
    },
  );
  const scopes = settings.scopes.length > 0 ? settings.scopes : usualScopes;
  return {
    begin: (checks) => client.begin(checks, scopes),

    finish: async (address, checks) => {
      const { access_token, refresh_token } = await client.exchange(address, checks);
      return grantOf(deps, { accessToken: access_token, refreshToken: refresh_token });
    },

    check: async (subject, old, keep) => {
      // Tokens of OAuth apps do not expire and come without a refresh token; those of GitHub apps do both.
      const tokens = old.refreshToken === undefined ? old : await refreshed(client, old.refreshToken);
      if (tokens !== old) await keep(tokens);
      const grant = await grantOf(deps, tokens);
      if (grant.subject !== subject)
        throw new ProviderRefusal(`${settings.label} answered for somebody else.`, { isFinal: true });
      return grant;
    },

    revoke: ({ accessToken }) => endGrant(deps, accessToken),
  };
}

/** GitHub refuses with status 200, which would be taken for an answer that lacks its token. */
async function refusalOr(response: Response): Promise<Response> {
  const answer = await bounded(response);
  const said = await answer
    .clone()
    .json()
    .catch(() => undefined);
  const isRefusal = answer.ok && fieldsOf(said)["error"] !== undefined;
  return isRefusal ? new Response(answer.body, { status: 400, headers: answer.headers }) : answer;
}

async function refreshed(client: OpenIdClient, refreshToken: string): Promise<ProviderTokens> {
  const { access_token, refresh_token } = await client.refresh(refreshToken);
  return { accessToken: access_token, refreshToken: refresh_token ?? refreshToken };
}

async function grantOf(deps: Deps, tokens: ProviderTokens): Promise<Grant> {
  const { body } = await readJson(deps, `${deps.settings.apiUrl}/user`, { headers: headersOf(tokens.accessToken) });
  const { id, login } = fieldsOf(body);
  if (typeof id !== "number" || typeof login !== "string") throw unreadable(deps.label);
  const [memberships, teams] = await Promise.all([
    readAll(deps, "/user/memberships/orgs?state=active&per_page=100", tokens.accessToken),
    readAll(deps, "/user/teams?per_page=100", tokens.accessToken),
  ]);
  const organisations = memberships.flatMap((item) => {
    // An invitation that nobody has accepted is no membership.
    const owner = ownerOf(item);
    return fieldsOf(item)["state"] === "active" && owner !== undefined ? [`${owner}/*`] : [];
  });
  const teamNames = teams.flatMap((item) => {
    const { slug } = fieldsOf(item);
    const owner = ownerOf(item);
    return typeof slug === "string" && owner !== undefined ? [`${owner}/${slug}`] : [];
  });
  const roles = [...organisations, ...teamNames].map((name) => name.toLowerCase());
  return { subject: String(id), userName: login, roles, tokens };
}

function ownerOf(item: unknown): string | undefined {
  const { login } = fieldsOf(fieldsOf(item)["organization"]);
  return typeof login === "string" ? login : undefined;
}

/** All pages of a list. */
async function readAll(deps: Deps, path: string, accessToken: string): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    // By number and not by the answer's link: the token goes to the operator's address only.
    const url = `${deps.settings.apiUrl}${path}&page=${page}`;
    const { body } = await readJson(deps, url, { headers: headersOf(accessToken) });
    const found = requireList(body, deps.label);
    for (const item of found) items.push(item);
    if (found.length < 100) break;
  }
  return items;
}

/** Ends everything that the person granted the app: GitHub's own way to revoke. */
async function endGrant(deps: Deps, accessToken: string): Promise<void> {
  const basic = Buffer.from(`${deps.clientId}:${await deps.clientSecret()}`).toString("base64");
  const url = `${deps.settings.apiUrl}/applications/${encodeURIComponent(deps.clientId)}/token`;
  const response = await deps.dial(url, {
    method: "DELETE",
    headers: { ...headersOf(""), authorization: `Basic ${basic}` },
    body: JSON.stringify({ access_token: accessToken }),
    signal: AbortSignal.timeout(15_000),
  });
  await response.body?.cancel();
}

function headersOf(accessToken: string): Record<string, string> {
  return {
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    "user-agent": "slipway",
    authorization: `Bearer ${accessToken}`,
  };
}
