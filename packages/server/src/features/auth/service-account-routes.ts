import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, type Principal, pageOf, pageRequest, type Transact } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { expiryOf, insertKey, refuseBeyondRole, refuseBeyondTeam, requireRoom } from "./api-keys.ts";
import { requireLive } from "./end-access.ts";
import { showApiKey } from "./key-routes.ts";
import { selectApiKeys } from "./store.ts";
import { findUser, insertUser, lockUser, selectUsers, type UserRow } from "./user-store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly transact: Transact;
  readonly maxKeysPerUser: number;
  /** Returns a team by name or id. */
  readonly requireTeam: (trx: Transaction, principal: Principal, nameOrId: string) => Promise<{ readonly id: string }>;
}

type AccountHandlers = Pick<
  Handlers,
  "createServiceAccount" | "listServiceAccounts" | "createServiceKey" | "listServiceKeys"
>;

/** Creates and lists service accounts and their keys. */
export function serviceAccountRoutes(deps: Deps): AccountHandlers {
  const { db, clock, transact } = deps;
  return {
    createServiceAccount: (call) =>
      transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        const { name, role, team } = call.body;
        const now = clock.now();
        const account: UserRow = {
          ...{ id: newId("user", now.getTime()), name, role, created_at: now, kind: "service" },
          team_id: team === undefined ? null : (await deps.requireTeam(trx, call.principal, team)).id,
        };
        if (!(await insertUser(trx, account))) throw new Refusal("conflict", `The user '${name}' already exists.`);
        const detail = { name, role, team_id: account.team_id };
        await recordChange(trx, clock, call, { action: "service_account.create", target: account.id, detail });
        return { status: 201, body: showAccount(account) };
      }),

    listServiceAccounts: async ({ query }) => {
      const page = pageRequest(query, /^usr_/);
      const { items, nextCursor } = pageOf(await selectUsers(db, page, { kind: "service" }), page, ({ id }) => id);
      return { status: 200, body: { service_accounts: items.map(showAccount), next_cursor: nextCursor } };
    },

    createServiceKey: (call) =>
      transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        const { name, scopes, expires_at } = call.body;
        const account = requireAccount(await lockUser(trx, call.params.user_id));
        refuseBeyondRole(account, scopes);
        if (account.team_id !== null) refuseBeyondTeam(scopes);
        const expiresAt = expiryOf(clock.now(), expires_at);
        const key = await insertKey(trx, deps, { userId: account.id, teamId: null, name, scopes, expiresAt });
        await requireRoom(trx, deps, account.id, "Revoke one first.");
        const detail = { name, scopes, service_account: account.name };
        await recordChange(trx, clock, call, { action: "api_key.create", target: key.api_key_id, detail });
        return { status: 201, body: key };
      }),

    listServiceKeys: async ({ params, query }) => {
      const { id } = requireAccount(await findUser(db, params.user_id));
      const page = pageRequest(query, /^ak_/);
      const { items, nextCursor } = pageOf(await selectApiKeys(db, id, page), page, (key) => key.id);
      return { status: 200, body: { api_keys: items.map(showApiKey), next_cursor: nextCursor } };
    },
  };
}

/** Keys of people are made by themselves alone. */
function requireAccount(user: UserRow | undefined): UserRow {
  if (user?.kind === "service") return user;
  throw new Refusal("not_found", "Not found: there is no such service account.");
}

function showAccount({ id, name, role, team_id, created_at }: UserRow) {
  return { user_id: id, name, role, team_id, created_at: created_at.toISOString() };
}
