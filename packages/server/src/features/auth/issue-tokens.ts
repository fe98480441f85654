import type { IssuedTokens } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { sortableId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { insertToken, type Source } from "./store.ts";
import { newSecret, type UserTokenKind, writeToken } from "./token-format.ts";

const accessMs = 12 * 3600_000;
const refreshMs = 30 * 24 * 3600_000;

interface Deps {
  readonly clock: Clock;
  readonly keyring: Keyring;
}

/** Issues an access token and a refresh token for a user: of the family of the token they are exchanged for, or of a new one. */
export async function issueTokens(
  trx: Transaction,
  deps: Deps,
  userId: string,
  { familyId = newFamily(deps.clock), source }: { readonly familyId?: string; readonly source?: Source } = {},
): Promise<IssuedTokens> {
  const nowMs = deps.clock.now().getTime();
  const of = { userId, familyId, source };
  const expiresAt = new Date(nowMs + accessMs);
  const refreshExpiresAt = new Date(nowMs + refreshMs);
  return {
    user_id: userId,
    token: await makeToken(trx, deps, of, "access", expiresAt),
    expires_at: expiresAt.toISOString(),
    refresh_token: await makeToken(trx, deps, of, "refresh", refreshExpiresAt),
    refresh_expires_at: refreshExpiresAt.toISOString(),
  };
}

interface Owner {
  readonly userId: string;
  readonly familyId?: string;
  readonly source?: Source | undefined;
}

/** Creates a token; without an expiry, it is valid until it is revoked. */
export async function makeToken(
  trx: Transaction,
  { clock, keyring }: Deps,
  { userId, familyId = newFamily(clock), source }: Owner,
  kind: UserTokenKind,
  expiresAt: Date | null,
): Promise<string> {
  const now = clock.now();
  const id = sortableId(now.getTime());
  const secret = newSecret();
  await insertToken(trx, {
    id,
    user_id: userId,
    kind,
    family_id: familyId,
    hash: keyring.hmac(secret),
    key_version: keyring.version,
    created_at: now,
    expires_at: expiresAt,
    ...(source ?? { device: null, address: null }),
  });
  return writeToken({ kind, id, secret });
}

function newFamily(clock: Clock): string {
  return sortableId(clock.now().getTime());
}
