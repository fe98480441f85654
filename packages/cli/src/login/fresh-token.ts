import { createHash } from "node:crypto";
import { createClient } from "@slipway/client";
import { quickFetch } from "../connection/quick-fetch.ts";
import { type KeptLogin, readContexts, writeContexts } from "./contexts.ts";

/** A token is renewed while it still works: a command may run for long. */
const renewMs = 3600_000;

/** The token of a login, renewed if it is about to end. */
export async function freshToken(env: Readonly<NodeJS.ProcessEnv>, name: string, login: KeptLogin): Promise<string> {
  const { url, token, refresh_token, expires_at } = login;
  if (refresh_token === undefined || expires_at === undefined) return token;
  if (Date.parse(expires_at) - Date.now() > renewMs) return token;
  // The same for all commands that renew at once: a refresh token that is used twice would end the login.
  const key = createHash("sha256").update(refresh_token).digest("hex");
  const fetch: typeof globalThis.fetch = (input, init) =>
    quickFetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), "idempotency-key": key } });
  const renewed = await createClient({ url, fetch })
    .call("refreshTokens", { body: { refresh_token } })
    .catch(() => undefined);
  // The service says what is wrong with the old one.
  if (renewed === undefined) return token;
  const { current, contexts } = readContexts(env);
  writeContexts(env, { current, contexts: { ...contexts, [name]: { url, ...keptTokens(renewed) } } });
  return renewed.token;
}

/** What is kept of issued tokens. */
export function keptTokens(issued: {
  readonly token: string;
  readonly refresh_token: string;
  readonly expires_at: string;
}): Omit<KeptLogin, "url"> {
  return { token: issued.token, refresh_token: issued.refresh_token, expires_at: issued.expires_at };
}
