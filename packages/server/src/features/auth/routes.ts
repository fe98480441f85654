import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, pageOf, pageRequest, type Transact } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { createApiKey, revokeApiKey, rotateApiKey } from "./api-keys.ts";
import { isGood } from "./authenticator.ts";
import { issueTokens } from "./issue-tokens.ts";
import {
  type ApiKeyRow,
  findToken,
  findUser,
  insertUser,
  revokeToken,
  selectApiKeys,
  selectUsers,
  type UserRow,
} from "./store.ts";
import { readToken } from "./token-format.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly transact: Transact;
  /** Called after something was revoked. */
  readonly onRevoked: () => void;
  /** Called with the address that sent an invalid refresh token; throws when it did so too often. */
  readonly onBadToken: (address: string) => void;
}

type AuthHandlers = Pick<
  Handlers,
  | "createApiKey"
  | "listApiKeys"
  | "revokeApiKey"
  | "rotateApiKey"
  | "refreshTokens"
  | "createUser"
  | "listUsers"
  | "issueTokens"
>;

export function authRoutes(deps: Deps): AuthHandlers {
  const { db, clock, transact, onRevoked } = deps;
  return {
    createApiKey: (call) =>
      transact(call, async (trx) => {
        const key = await createApiKey(trx, deps, call.principal, call.body);
        const detail = { name: call.body.name, scopes: key.scopes };
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

    refreshTokens: (call) =>
      transact(call, async (trx) => {
        const now = clock.now();
        const token = readToken(call.body.refresh_token);
        const credential = token?.kind === "refresh" ? await findToken(trx, token.id, "refresh") : undefined;
        const isUsable =
          token !== undefined && credential !== undefined && isGood(deps.keyring, token, credential, now.getTime());
        if (!isUsable || !(await revokeToken(trx, token.id, now))) {
          deps.onBadToken(call.request.ip);
          throw new Refusal("unauthenticated", "The refresh token is not valid, has expired or was used already.", {
            headers: { "www-authenticate": 'Bearer realm="slipway", error="invalid_token"' },
          });
        }
        const tokens = await issueTokens(trx, deps, credential.user_id);
        const actor = {
          request: call.request,
          principal: { userId: credential.user_id, userName: credential.user_name },
        };
        await recordChange(trx, clock, actor, { action: "token.refresh", target: credential.user_id });
        return { status: 200, body: tokens };
      }),

    createUser: (call) =>
      transact(call, async (trx) => {
        const now = clock.now();
        const user: UserRow = { id: newId("user", now.getTime()), ...call.body, created_at: now };
        if (!(await insertUser(trx, user))) throw new Refusal("conflict", `The user '${user.name}' already exists.`);
        const detail = { name: user.name, role: user.role };
        await recordChange(trx, clock, call, { action: "user.create", target: user.id, detail });
        return { status: 201, body: showUser(user) };
      }),

    listUsers: async ({ query }) => {
      const page = pageRequest(query, /^usr_/);
      const { items, nextCursor } = pageOf(await selectUsers(db, page), page, ({ id }) => id);
      return { status: 200, body: { users: items.map(showUser), next_cursor: nextCursor } };
    },

    issueTokens: (call) =>
      transact(call, async (trx) => {
        const user = await findUser(trx, call.params.user_id);
        if (user === undefined) throw new Refusal("not_found", "Not found: the user does not exist.");
        const tokens = await issueTokens(trx, deps, user.id);
        await recordChange(trx, clock, call, { action: "token.issue", target: user.id });
        return { status: 201, body: tokens };
      }),
  };
}

function showApiKey({ id, user_id: _, created_at, expires_at, last_used_at, revoked_at, ...rest }: ApiKeyRow) {
  return {
    api_key_id: id,
    ...rest,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
  };
}

function showUser({ id, name, role, created_at }: UserRow) {
  return { user_id: id, name, role, created_at: created_at.toISOString() };
}
