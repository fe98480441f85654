import type { Session, SignIn } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import {
  type Handlers,
  type Principal,
  pageOf,
  pageRequest,
  requireOwnPage,
  sessionCookie,
  sessionToken,
  type Transact,
} from "../../platform/http/index.ts";
import { readSortable } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { requireLive } from "./end-access.ts";
import { type SessionRow, selectSessions } from "./session-store.ts";
import { sessionMs } from "./sessions.ts";
import { createSignInCode, exchangeCode } from "./sign-in-codes.ts";
import { sourceOf } from "./source-of.ts";
import { findFamily, revokeFamily, revokeToken } from "./store.ts";
import { readToken } from "./token-format.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly transact: Transact;
  readonly authenticate: (token: string) => Promise<Principal | undefined>;
  /** Called after somebody ended a sign-in: their provider may want to know. */
  readonly onSignedOut: (userId: string) => void;
  /** Called after something was revoked. */
  readonly onRevoked: () => void;
  /** Called with the address that sent a credential that does not work; throws when it did so too often. */
  readonly onBadToken: (address: string) => void;
}

type SessionHandlers = Pick<
  Handlers,
  "createSignInCode" | "signIn" | "readSession" | "signOut" | "listSessions" | "endSession"
>;

/** Signs browsers in and out. */
export function sessionRoutes(deps: Deps): SessionHandlers {
  const { clock, transact } = deps;
  return {
    createSignInCode: (call) =>
      transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        const code = await createSignInCode(trx, deps, call.principal.userId);
        await recordChange(trx, clock, call, { action: "sign_in_code.create", target: call.principal.userId });
        return { status: 201, body: code };
      }),

    signIn: (call) => signIn(deps, call),

    readSession: async ({ principal }) => ({ status: 200, body: showSession(principal) }),

    signOut: async (call) => {
      const { request, principal } = call;
      const token = request.headers.authorization === undefined ? (sessionToken(request) ?? "") : "";
      // A key that somebody pasted belongs to them: only the browser forgets it.
      if (principal.tokenId !== undefined && readToken(token)?.kind === "session") {
        const { tokenId } = principal;
        await transact(call, async (trx) => {
          await revokeToken(trx, tokenId, clock.now());
          await recordChange(trx, clock, call, { action: "session.end", target: principal.userId });
          return { status: 204 };
        });
        deps.onRevoked();
        deps.onSignedOut(principal.userId);
      }
      return { status: 204, headers: { "set-cookie": sessionCookie(request, "", 0) } };
    },

    listSessions: async ({ principal, query }) => {
      const page = pageRequest(query, /^[0-9a-z]{20}$/);
      const rows = await selectSessions(deps.db, principal, clock.now(), page);
      const { items, nextCursor } = pageOf(rows, page, ({ family_id }) => family_id);
      return { status: 200, body: { sessions: items.map(showSignIn), next_cursor: nextCursor } };
    },

    endSession: (call) => endSession(deps, call),
  };
}

type EndCall = Parameters<Handlers["endSession"]>[0];

async function endSession(deps: Deps, call: EndCall): ReturnType<Handlers["endSession"]> {
  const { clock, transact } = deps;
  const { userId, tokenId } = call.principal;
  const answer = await transact(call, async (trx) => {
    const named = call.params.session_id;
    const id = named === "current" && tokenId !== undefined ? await findFamily(trx, tokenId) : named;
    if (id === undefined || (await revokeFamily(trx, id, clock.now(), userId)) === 0)
      throw new Refusal("not_found", "Not found: you have no such sign-in, or it has ended.");
    await recordChange(trx, clock, call, { action: "session.end", target: userId, detail: { session_id: id } });
    return { status: 204 };
  });
  deps.onRevoked();
  deps.onSignedOut(userId);
  return answer;
}

function showSignIn(row: SessionRow): SignIn {
  return {
    session_id: row.family_id,
    kind: row.is_browser ? "browser" : "token",
    device: row.device,
    address: row.address,
    // The id begins with the time of the sign-in; the tokens of it come and go.
    created_at: new Date(readSortable(row.family_id.slice(0, 10)) ?? 0).toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    is_current: row.is_current,
  };
}

type SignInCall = Parameters<Handlers["signIn"]>[0];

async function signIn(deps: Deps, call: SignInCall): ReturnType<Handlers["signIn"]> {
  const { db, clock } = deps;
  const { request, body } = call;
  // Otherwise another site could sign a browser in as somebody else, and read what is then typed.
  requireOwnPage(request);
  const present = await presentUser(deps, request);
  const exchanged = await db.transaction().execute(async (trx) => {
    const session = await exchangeCode(trx, deps, body.credential, sourceOf(request));
    if (session === undefined) return undefined;
    // Within the transaction: the code is not spent.
    refuseOther(present, session.userId);
    const actor = { request, principal: session };
    await recordChange(trx, clock, actor, { action: "session.create", target: session.userId });
    return session;
  });
  const token = exchanged?.token ?? body.credential;
  const principal = await deps.authenticate(token);
  if (principal === undefined) {
    deps.onBadToken(request.ip);
    throw new Refusal("unauthenticated", "The code or key is not valid, has expired or was used already.", {
      headers: { "www-authenticate": 'Bearer realm="slipway", error="invalid_token"' },
    });
  }
  refuseOther(present, principal.userId);
  const cookie = sessionCookie(request, token, exchanged && sessionMs);
  return { status: 201, body: showSession(principal), headers: { "set-cookie": cookie } };
}

/** Who is signed in where the request comes from; undefined: nobody. */
async function presentUser(deps: Deps, request: SignInCall["request"]): Promise<Principal | undefined> {
  const token = sessionToken(request);
  return token === undefined ? undefined : deps.authenticate(token);
}

/** A link of somebody else's must not quietly make this browser theirs: what is entered then, secrets too, would be. */
function refuseOther(present: Principal | undefined, userId: string): void {
  if (present === undefined || present.userId === userId) return;
  throw new Refusal("forbidden", `This browser is signed in as ${present.userName}. Sign out first.`);
}

export function showSession({ userId, userName, role, scopes, apiKeyId }: Principal): Session {
  return { user_id: userId, name: userName, role, scopes: [...scopes], is_api_key: apiKeyId !== undefined };
}
