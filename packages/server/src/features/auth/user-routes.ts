import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, type Principal, pageOf, pageRequest, type Transact } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { isGood } from "./authenticator.ts";
import { changeRole, endAccess, removeUser, requireLive, restoreUser } from "./end-access.ts";
import { issueTokens } from "./issue-tokens.ts";
import { endFamily, refreshTokens } from "./refresh-tokens.ts";
import { findToken } from "./store.ts";
import { readToken } from "./token-format.ts";
import { insertUser, lockPerson, selectUsers, type UserRow } from "./user-store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly transact: Transact;
  /** Disables the webhooks of a user who is removed; returns their ids. */
  readonly disableWebhooksOf: (trx: Transaction, userId: string, userName: string) => Promise<string[]>;
  /** Called with those ids after the commit. */
  readonly onWebhooksDisabled: (ids: readonly string[]) => void;
  /** Asks a user's provider what they may still do, before they get new tokens. */
  readonly checkUser: (userId: string) => Promise<void>;
  /** Called after something was revoked. */
  readonly onRevoked: () => void;
  /** Called with the address that sent an invalid refresh token; throws when it did so too often. */
  readonly onBadToken: (address: string) => void;
}

type UserHandlers = Pick<
  Handlers,
  | "refreshTokens"
  | "createUser"
  | "listUsers"
  | "changeUser"
  | "removeUser"
  | "restoreUser"
  | "issueTokens"
  | "endTokens"
>;

/** Creates, lists, changes and removes users; issues, refreshes and ends their tokens. */
export function userRoutes(deps: Deps): UserHandlers {
  const { db, clock, transact, onRevoked } = deps;
  return {
    refreshTokens: (call) => refresh(deps, call),

    createUser: (call) =>
      transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        const now = clock.now();
        const user = { id: newId("user", now.getTime()), ...call.body, created_at: now, kind: "person" as const };
        if (!(await insertUser(trx, user))) throw new Refusal("conflict", `The user '${user.name}' already exists.`);
        const detail = { name: user.name, role: user.role };
        await recordChange(trx, clock, call, { action: "user.create", target: user.id, detail });
        return { status: 201, body: showUser(user) };
      }),

    listUsers: async ({ query }) => {
      const page = pageRequest(query, /^usr_/);
      const { items, nextCursor } = pageOf(
        await selectUsers(db, page, { removed: query.removed ?? false }),
        page,
        ({ id }) => id,
      );
      return { status: 200, body: { users: items.map(showUser), next_cursor: nextCursor } };
    },

    changeUser: async (call) => {
      const { role } = call.body;
      const answer = await transact(call, async (trx) => {
        const user = await changeRole(trx, call.principal, call.params.user_id, role);
        const detail = { role, old_role: user.role };
        await recordChange(trx, clock, call, { action: "user.change", target: user.id, detail });
        return { status: 200, body: showUser({ ...user, role }) };
      });
      onRevoked();
      return answer;
    },

    removeUser: async (call) => {
      let disabled: readonly string[] = [];
      const answer = await transact(call, async (trx) => {
        const { user, webhooks } = await removeUser(trx, deps, call.principal, call.params.user_id);
        disabled = webhooks;
        const detail = { name: user.name, role: user.role, webhooks };
        await recordChange(trx, clock, call, { action: "user.remove", target: user.id, detail });
        return { status: 204 };
      });
      onRevoked();
      deps.onWebhooksDisabled(disabled);
      return answer;
    },

    restoreUser: (call) =>
      transact(call, async (trx) => {
        const user = await restoreUser(trx, deps, call.principal, call.params.user_id);
        const detail = { name: user.name, role: user.role };
        await recordChange(trx, clock, call, { action: "user.restore", target: user.id, detail });
        return { status: 200, body: showUser(user) };
      }),

    issueTokens: (call) =>
      transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        const user = await lockPerson(trx, call.params.user_id);
        const tokens = await issueTokens(trx, deps, user.id);
        await recordChange(trx, clock, call, { action: "token.issue", target: user.id });
        return { status: 201, body: tokens };
      }),

    endTokens: async (call) => {
      const answer = await transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        await endAccess(trx, deps, call.params.user_id);
        await recordChange(trx, clock, call, { action: "token.end", target: call.params.user_id });
        return { status: 204 };
      });
      onRevoked();
      return answer;
    },
  };
}

type RefreshCall = Parameters<Handlers["refreshTokens"]>[0];

async function refresh(deps: Deps, call: RefreshCall): ReturnType<Handlers["refreshTokens"]> {
  const { clock, transact } = deps;
  const refusal = new Refusal("unauthenticated", "The refresh token is not valid, has expired or was used already.", {
    headers: { "www-authenticate": 'Bearer realm="slipway", error="invalid_token"' },
  });
  const audit = (trx: Transaction, action: string, owner: Pick<Principal, "userId" | "userName">) =>
    recordChange(trx, clock, { request: call.request, principal: owner }, { action, target: owner.userId });
  await checkOwner(deps, call.body.refresh_token);
  let reused: Parameters<typeof endFamily>[2] | undefined;
  try {
    return await transact(call, async (trx) => {
      const refreshed = await refreshTokens(trx, deps, call.body.refresh_token);
      if (refreshed.kind === "reused") reused = refreshed;
      if (refreshed.kind !== "issued") throw refusal;
      await audit(trx, "token.refresh", refreshed.owner);
      return { status: 200, body: refreshed.tokens };
    });
  } catch (error) {
    if (error !== refusal) throw error;
  }
  // In a transaction of its own: the refusal rolled back the other.
  if (reused !== undefined) await endReused(deps, reused, audit);
  deps.onBadToken(call.request.ip);
  throw refusal;
}

/** Only for a token that would work: nobody else makes the service ask a provider. */
async function checkOwner({ db, clock, keyring, checkUser }: Deps, text: string): Promise<void> {
  const token = readToken(text);
  const found = token?.kind === "refresh" ? await findToken(db, token.id, "refresh") : undefined;
  // Not `access_until`: asking is what renews it.
  if (token && found && isGood(keyring, token, { ...found, access_until: null }, clock.now().getTime()))
    await checkUser(found.user_id);
}

async function endReused(
  { db, clock, onRevoked }: Deps,
  reused: Parameters<typeof endFamily>[2],
  audit: (trx: Transaction, action: string, owner: Pick<Principal, "userId" | "userName">) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (await endFamily(trx, { clock }, reused)) await audit(trx, "token.reuse", reused.owner);
  });
  onRevoked();
}

function showUser({ id, name, role, kind, created_at }: Omit<UserRow, "team_id">) {
  return { user_id: id, name, role, kind, created_at: created_at.toISOString() };
}
