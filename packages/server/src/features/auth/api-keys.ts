import { defaultKeyDays, maxKeyDays, type Scope, scopesOfRole } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Principal } from "../../platform/http/index.ts";
import { sortableId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { requireLive } from "./end-access.ts";
import { countLiveKeys, endApiKey, insertApiKey, lockApiKey } from "./store.ts";
import { newSecret, writeToken } from "./token-format.ts";
import { lockUser } from "./user-store.ts";

const dayMs = 24 * 3600_000;

interface Deps {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly maxKeysPerUser: number;
  /** Returns a team that the caller is in, by name or id. */
  readonly requireTeam: (trx: Transaction, principal: Principal, nameOrId: string) => Promise<{ readonly id: string }>;
}

export interface NewApiKey {
  readonly api_key_id: string;
  readonly api_key: string;
  readonly scopes: Scope[];
  readonly created_at: string;
  readonly expires_at: string;
}

/** Creates a key for a user; the user must have every scope of the key. */
export async function createApiKey(
  trx: Transaction,
  deps: Deps,
  principal: Principal,
  { name, scopes, expires_at, team }: { name: string; scopes: Scope[]; expires_at?: string; team?: string },
): Promise<NewApiKey> {
  refuseBeyondRole(principal, scopes);
  const expiresAt = expiryOf(deps.clock.now(), expires_at);
  await lockMaker(trx, principal);
  const teamId = team === undefined ? null : (await deps.requireTeam(trx, principal, team)).id;
  if (teamId !== null) refuseBeyondTeam(scopes);
  const made = await insertKey(trx, deps, { userId: principal.userId, teamId, name, scopes, expiresAt });
  await requireRoom(trx, deps, principal.userId, "Revoke one first.");
  return made;
}

/** Creates a key that replaces another, which stays valid for the overlap. */
export async function rotateApiKey(
  trx: Transaction,
  deps: Deps,
  principal: Principal,
  id: string,
  overlapSeconds: number,
): Promise<NewApiKey> {
  const now = deps.clock.now();
  await lockMaker(trx, principal);
  const old = await lockApiKey(trx, id, principal.userId);
  if (old === undefined) throw new Refusal("not_found", "Not found: you have no API key with this id.");
  if (old.revoked_at !== null || old.expires_at <= now) {
    throw new Refusal("conflict", "The API key has already ended. Create a new one.");
  }
  const lifetimeMs = old.expires_at.getTime() - old.created_at.getTime();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  const { user_id: userId, team_id: teamId, name, scopes } = old;
  const made = await insertKey(trx, deps, { userId, teamId, name, scopes, expiresAt });
  const overlapEnd = new Date(now.getTime() + overlapSeconds * 1000);
  if (overlapEnd < old.expires_at) await endApiKey(trx, id, { expiresAt: overlapEnd });
  await requireRoom(trx, deps, principal.userId, "Revoke one first, or rotate without an overlap.");
  return made;
}

/** Revokes a key at once: one's own or, as an administrator, any. Revoking it again is no error. */
export async function revokeApiKey(
  trx: Transaction,
  { clock }: Pick<Deps, "clock">,
  principal: Principal,
  id: string,
): Promise<void> {
  const key = await lockApiKey(trx, id, principal.role === "svc:admin" ? undefined : principal.userId);
  if (key === undefined) throw new Refusal("not_found", "Not found: the API key does not exist, or it is not yours.");
  if (key.revoked_at === null) await endApiKey(trx, id, { revokedAt: clock.now() });
}

/** Keys of a user are made one after another, and only by a token that nobody has ended. */
async function lockMaker(trx: Transaction, principal: Principal): Promise<void> {
  await lockUser(trx, principal.userId);
  await requireLive(trx, principal);
}

/** Refuses, after the key was made, what would be one key too many. */
export async function requireRoom(
  trx: Transaction,
  { clock, maxKeysPerUser }: Pick<Deps, "clock" | "maxKeysPerUser">,
  userId: string,
  remedy: string,
): Promise<void> {
  if ((await countLiveKeys(trx, userId, clock.now())) <= maxKeysPerUser) return;
  throw new Refusal("conflict", `There are ${maxKeysPerUser} API keys already, the most a user may have. ${remedy}`);
}

/** Refuses a key that could do more than whose it is. */
export function refuseBeyondRole({ role }: Pick<Principal, "role">, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !scopesOfRole[role].includes(scope));
  if (missing === undefined) return;
  throw new Refusal("forbidden", `The role ${role} does not have the scope '${missing}', so the key cannot have it.`);
}

interface Key {
  readonly userId: string;
  readonly teamId: string | null;
  readonly name: string;
  readonly scopes: Scope[];
  readonly expiresAt: Date;
}

/** Agents serve the whole installation. */
export function refuseBeyondTeam(scopes: readonly Scope[]): void {
  const beyond = scopes.find((scope) => scope === "agents:manage" || scope === "agents:work");
  if (beyond !== undefined)
    throw new Refusal("forbidden", `A key that works for a team cannot have the scope '${beyond}'.`);
}

export async function insertKey(
  trx: Transaction,
  { clock, keyring }: Pick<Deps, "clock" | "keyring">,
  { userId, teamId, name, scopes, expiresAt }: Key,
): Promise<NewApiKey> {
  const now = clock.now();
  const id = sortableId(now.getTime());
  const secret = newSecret();
  await insertApiKey(trx, {
    id: `ak_${id}`,
    user_id: userId,
    team_id: teamId,
    name,
    scopes,
    hash: keyring.hmac(secret),
    key_version: keyring.version,
    created_at: now,
    expires_at: expiresAt,
  });
  return {
    api_key_id: `ak_${id}`,
    api_key: writeToken({ kind: "apiKey", id, secret }),
    scopes,
    created_at: now.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

export function expiryOf(now: Date, requested: string | undefined): Date {
  const end = requested === undefined ? new Date(now.getTime() + defaultKeyDays * dayMs) : new Date(requested);
  const refuse = (message: string) => {
    throw new Refusal("invalid_body", `The body is not valid. /expires_at: ${message}.`, {
      errors: [{ code: "expires_at", message, pointer: "/expires_at" }],
    });
  };
  if (!(end > now)) refuse("must lie in the future");
  if (end.getTime() > now.getTime() + maxKeyDays * dayMs) refuse(`must lie within ${maxKeyDays} days from now`);
  return end;
}
