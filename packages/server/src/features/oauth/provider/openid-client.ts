import type * as OpenId from "openid-client";
import { DialRefusal } from "../../../platform/network/index.ts";
import { type Checks, type Dial, ProviderRefusal } from "./provider.ts";
import { bounded } from "./read-json.ts";

/** How to reach a provider. */
export interface ClientDeps {
  readonly dial: Dial;
  readonly label: string;
  readonly clientId: string;
  /** Looked up when it is needed: secrets rotate. */
  readonly clientSecret: () => Promise<string>;
}

/** Loaded when somebody signs in: most services have no provider. */
const load = () => import("openid-client");

const discoveredMs = 3600_000;

/** Speaks OAuth 2.0 with one provider; everything that is signed, hashed or compared is the library's work. */
export class OpenIdClient {
  readonly #deps: ClientDeps;
  /** How the provider is configured: discovered, or known. */
  readonly #describe: { readonly issuer: string } | { readonly known: OpenId.ServerMetadata };
  #config: { readonly value: Promise<OpenId.Configuration>; readonly untilMs: number } | undefined;

  constructor(deps: ClientDeps, describe: { readonly issuer: string } | { readonly known: OpenId.ServerMetadata }) {
    this.#deps = deps;
    this.#describe = describe;
  }

  async begin(
    { redirectUri, state, nonce, verifier }: Checks,
    scopes: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<URL> {
    return this.#ask(async (client, config) =>
      client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes.join(" "),
        state,
        ...("issuer" in this.#describe && { nonce }),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...more,
      }),
    );
  }

  async exchange(answer: URL, { state, nonce, verifier }: Checks) {
    return this.#ask((client, config) =>
      client.authorizationCodeGrant(config, answer, {
        expectedState: state,
        pkceCodeVerifier: verifier,
        ...("issuer" in this.#describe && { expectedNonce: nonce, idTokenExpected: true }),
      }),
    );
  }

  async refresh(refreshToken: string) {
    return this.#ask((client, config) => client.refreshTokenGrant(config, refreshToken));
  }

  /** What the provider tells of the subject; empty if it has no such endpoint. */
  async userInfo(accessToken: string, subject: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#ask(async (client, config) =>
      config.serverMetadata().userinfo_endpoint === undefined ? {} : client.fetchUserInfo(config, accessToken, subject),
    );
  }

  async revoke(token: string): Promise<void> {
    await this.#ask(async (client, config) => {
      if (config.serverMetadata().revocation_endpoint !== undefined) await client.tokenRevocation(config, token);
    });
  }

  /** Asks the provider, and turns what goes wrong into a refusal without secrets. */
  async #ask<T>(work: (client: typeof OpenId, config: OpenId.Configuration) => Promise<T> | T): Promise<T> {
    const client = await load();
    try {
      return await work(client, await this.#configuration(client));
    } catch (error) {
      const refusal = explain(client, this.#deps.label, error);
      // A secret that was rotated, or a provider that moved, is found again at the next try.
      this.#config = undefined;
      throw refusal;
    }
  }

  #configuration(client: typeof OpenId): Promise<OpenId.Configuration> {
    const nowMs = performance.now();
    if (this.#config === undefined || nowMs >= this.#config.untilMs)
      this.#config = { value: this.#discover(client), untilMs: nowMs + discoveredMs };
    return this.#config.value;
  }

  async #discover(client: typeof OpenId): Promise<OpenId.Configuration> {
    const { clientId, clientSecret, dial } = this.#deps;
    const secret = await clientSecret();
    const fetch: OpenId.CustomFetch = async (url, options) => bounded(await dial(url, options as RequestInit));
    const describe = this.#describe;
    if ("known" in describe) {
      const config = new client.Configuration(describe.known, clientId, secret);
      config[client.customFetch] = fetch;
      if (describe.known.issuer.startsWith("http:")) client.allowInsecureRequests(config);
      return config;
    }
    const isLocal = describe.issuer.startsWith("http:");
    return client.discovery(new URL(describe.issuer), clientId, secret, undefined, {
      [client.customFetch]: fetch,
      // ID tokens are verified by their signature too, not only by the connection they came over.
      execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
    });
  }
}

/** Codes by which a provider says that this person, or this sign-in, is over. */
const finalCodes = [
  ...["invalid_grant", "access_denied", "consent_required", "login_required", "interaction_required"],
  // GitHub's own word for the first.
  "bad_refresh_token",
];

function explain(client: typeof OpenId, label: string, error: unknown): ProviderRefusal {
  if (error instanceof ProviderRefusal) return error;
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    // Only codes: descriptions are free text, which whoever makes the browser's address can choose.
    const code = /^[a-z_]{1,60}$/.test(error.error) ? error.error : "an unknown error";
    return new ProviderRefusal(`${label} refused: ${code}.`, {
      isFinal: finalCodes.includes(error.error),
      cause: error,
    });
  }
  if (error instanceof client.WWWAuthenticateChallengeError)
    return new ProviderRefusal(`${label} does not accept its token any more.`, {
      isFinal: error.status === 401,
      cause: error,
    });
  const { code } = error as { code?: unknown };
  const isForged = error instanceof client.ClientError && code !== "OAUTH_TIMEOUT" && code !== "OAUTH_ABORT";
  const dialled = error instanceof DialRefusal ? ` ${error.message}` : "";
  return new ProviderRefusal(
    isForged ? `The answer of ${label} is not valid.` : `${label} cannot be reached.${dialled}`,
    { isFinal: false, cause: error },
  );
}
