import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import {
  type Call,
  type Handlers,
  type Principal,
  requireOwnPage,
  sessionCookie,
  signInCookie,
  signInToken,
} from "../../platform/http/index.ts";
import { randomText } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { makeSession, sessionMs, showSession } from "../auth/index.ts";
import { beginSignIn, finishSignIn, type OpenedProvider } from "./sign-in.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly publicUrl: string;
  readonly providers: ReadonlyMap<string, OpenedProvider>;
  readonly endAccess: Parameters<typeof finishSignIn>[0]["endAccess"];
  readonly onWebhooksDisabled: (ids: readonly string[]) => void;
  readonly authenticate: (token: string) => Promise<Principal | undefined>;
  /** Called after somebody's rights have changed or ended. */
  readonly onRevoked: () => void;
  /** Called with the address that begins something without a token; throws when it did so too often. */
  readonly onBegun: (address: string) => void;
  /** Called with the address that sent something that does not work; throws when it did so too often. */
  readonly onBadToken: (address: string) => void;
}

type OauthHandlers = Pick<Handlers, "listSignInProviders" | "beginSignIn" | "finishSignIn">;

/** Signs browsers in with the operator's providers. */
export function oauthRoutes(deps: Deps): OauthHandlers {
  return {
    listSignInProviders: async () => {
      const providers = [...deps.providers.values()].map(({ settings: { name, label, kind } }) => ({
        ...{ name, label, provider: kind },
      }));
      return { status: 200, body: { providers } };
    },

    beginSignIn: async ({ request, params, body }) => {
      const opened = find(deps, params.provider);
      requirePublicPage(deps, request);
      deps.onBegun(request.ip);
      // Two tabs of a browser may sign in at once.
      const browser = signInToken(request) ?? randomText(52);
      const { url, expiresAt } = await beginSignIn(deps, opened, { browser, returnTo: body.return_to ?? "/" });
      return {
        status: 201,
        body: { url: url.href, expires_at: expiresAt.toISOString() },
        headers: { "set-cookie": signInCookie(request, browser) },
      };
    },

    finishSignIn: (call) => finish(deps, call),
  };
}

type FinishCall = Parameters<Handlers["finishSignIn"]>[0];

async function finish(deps: Deps, call: FinishCall): ReturnType<Handlers["finishSignIn"]> {
  const { clock } = deps;
  const { request, params, body } = call;
  const opened = find(deps, params.provider);
  requirePublicPage(deps, request);
  const { name } = opened.settings;
  const answer = { browser: signInToken(request) ?? "", parameters: body.parameters };
  const finished = await finishSignIn(deps, opened, answer, request, async (trx, person) => {
    const token = await makeSession(trx, deps, person.userId, request);
    const change = { action: "session.create", target: person.userId, detail: { provider: name } };
    await recordChange(trx, clock, { request, principal: person }, change);
    return token;
  }).finally(() => deps.onRevoked());
  const principal = finished && (await deps.authenticate(finished.made));
  if (finished === undefined || principal === undefined) {
    deps.onBadToken(request.ip);
    throw new Refusal(
      "unauthenticated",
      "This sign-in was not begun in this browser, was finished already or took longer than ten minutes. Sign in again.",
      { headers: { "www-authenticate": 'Bearer realm="slipway"' } },
    );
  }
  return {
    status: 201,
    body: { session: showSession(principal), return_to: finished.returnTo },
    headers: { "set-cookie": sessionCookie(request, finished.made, sessionMs) },
  };
}

function find({ providers }: Deps, name: string): OpenedProvider {
  const opened = providers.get(name);
  if (opened !== undefined) return opened;
  throw new Refusal("not_found", "Not found: the operator has declared no such sign-in provider.");
}

/** The provider sends browsers back to the public address: a cookie of another one would not come along. */
function requirePublicPage({ publicUrl }: Deps, request: Call["request"]): void {
  requireOwnPage(request);
  if (new URL(publicUrl).origin === request.headers.origin) return;
  throw new Refusal("forbidden", `Sign in at ${publicUrl}: the provider sends browsers back there (public_url).`);
}
