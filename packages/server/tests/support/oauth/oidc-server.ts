import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { whenDone } from "../when-done.ts";

interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly preferred_username?: string;
  readonly realm?: { readonly roles: readonly string[] };
}

/** A real OpenID provider on this machine, where whoever comes is signed in at once as `server.current`. */
export async function startOidcServer(redirectUris: readonly string[]) {
  const listener: { serve: (request: IncomingMessage, response: ServerResponse) => void } = { serve: () => undefined };
  const server = createServer((request, response) => listener.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenDone(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, Account>();
  const state = { issuer, accounts, current: "ada", isDown: false, tellsNothing: false, tokenCalls: 0 };
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "slipway",
        client_secret: "sesame-of-the-provider-4711",
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: "sig", alg: "RS256" }] },
    cookies: { keys: ["a-key-for-cookies"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["preferred_username", "realm"] },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    rotateRefreshToken: true,
    pkce: { required: () => true },
    findAccount: (_context, id) => {
      const account = accounts.get(id);
      return account && { accountId: id, claims: async () => ({ sub: id, ...account }) };
    },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    ttl: { AccessToken: 3600, Grant: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 },
  });
  const callback = provider.callback();
  listener.serve = (request, response) => {
    if (state.isDown) return void response.writeHead(503).end();
    if (state.tellsNothing && request.url === "/me") return void response.writeHead(503).end();
    // Not `/token/revocation`, which is called whenever it suits.
    if (request.url === "/token") state.tokenCalls += 1;
    if (request.url?.startsWith("/interaction/")) return void interact(provider, state.current, request, response);
    return void callback(request, response);
  };
  return state;
}

async function interact(provider: Provider, accountId: string, request: IncomingMessage, response: ServerResponse) {
  const { prompt, params, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === "login")
    return provider.interactionFinished(
      request,
      response,
      { login: { accountId } },
      { mergeWithLastSubmission: false },
    );
  const grant =
    (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
    new provider.Grant({ accountId, clientId: String(params["client_id"]) });
  grant.addOIDCScope(String(params["scope"]));
  const result = { consent: { grantId: await grant.save() } };
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

/** Goes through a provider's pages like a browser, until it is sent back to the service. */
export async function visit(url: string, until: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let address = url;
  for (let step = 0; step < 20; step += 1) {
    if (address.startsWith(until)) return new URL(address);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(address, { redirect: "manual", headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get("location");
    if (next === null) throw new Error(`${address} answered ${answer.status}: ${await answer.text()}`);
    address = new URL(next, address).href;
  }
  throw new Error("The provider sends the browser in a circle.");
}
