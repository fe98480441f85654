import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { type Handlers, type Principal, pageOf, pageRequest, type Transact } from "../../platform/http/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { createApiKey, revokeApiKey, rotateApiKey } from "./api-keys.ts";
import { type ApiKeyRow, selectApiKeys } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly transact: Transact;
  readonly maxKeysPerUser: number;
  /** Returns a team that the caller is in, by name or id. */
  readonly requireTeam: (trx: Transaction, principal: Principal, nameOrId: string) => Promise<{ readonly id: string }>;
  /** Called after something was revoked. */
  readonly onRevoked: () => void;
}

type KeyHandlers = Pick<Handlers, "readCaller" | "createApiKey" | "listApiKeys" | "revokeApiKey" | "rotateApiKey">;

/** Creates, lists, revokes and rotates API keys. */
export function keyRoutes(deps: Deps): KeyHandlers {
  const { db, clock, transact, onRevoked } = deps;
  return {
    readCaller: async ({ principal }) => {
      const { userId, userName, role, scopes, apiKeyId = null } = principal;
      const body = { user_id: userId, name: userName, role, scopes: [...scopes], api_key_id: apiKeyId };
      return { status: 200, body };
    },

    createApiKey: (call) =>
      transact(call, async (trx) => {
        const key = await createApiKey(trx, deps, call.principal, call.body);
        const { name, team } = call.body;
        const detail = { name, scopes: key.scopes, ...(team !== undefined && { team }) };
        await recordChange(trx, clock, call, { action: "api_key.create", target: key.api_key_id, detail });
        return { status: 201, body: key };
      }),

    listApiKeys: async ({ principal, query }) => {
      const page = pageRequest(query, /^ak_/);
      const { items, nextCursor } = pageOf(await selectApiKeys(db, principal.userId, page), page, ({ id }) => id);
      return { status: 200, body: { api_keys: items.map(showApiKey), next_cursor: nextCursor } };
    },

    revokeApiKey: async (call) => {
      const answer = await transact(call, async (trx) => {
        await revokeApiKey(trx, deps, call.principal, call.params.api_key_id);
        await recordChange(trx, clock, call, { action: "api_key.revoke", target: call.params.api_key_id });
        return { status: 204 };
      });
      onRevoked();
      return answer;
    },

    rotateApiKey: async (call) => {
      const { overlap_seconds = 24 * 3600 } = call.body;
      const answer = await transact(call, async (trx) => {
        const key = await rotateApiKey(trx, deps, call.principal, call.params.api_key_id, overlap_seconds);
        const detail = { replaced: call.params.api_key_id, overlap_seconds };
        await recordChange(trx, clock, call, { action: "api_key.rotate", target: key.api_key_id, detail });
        return { status: 201, body: key };
      });
      onRevoked();
      return answer;
    },
  };
}

export function showApiKey({ id, user_id: _, created_at, expires_at, last_used_at, revoked_at, ...rest }: ApiKeyRow) {
  return {
    api_key_id: id,
    ...rest,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
  };
}
