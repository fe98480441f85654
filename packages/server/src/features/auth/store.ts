import type { Role, Scope } from "@slipway/contract";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";
import type { PageRequest } from "../../platform/http/index.ts";
import type { UserTokenKind } from "./token-format.ts";

/** What decides whether a token is valid, and whose it is. */
export interface Credential {
  readonly hash: Buffer;
  readonly key_version: number;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly user_id: string;
  readonly user_name: string;
  readonly role: Role;
  readonly scopes: readonly Scope[] | null;
  /** Until when a provider has confirmed the user; null: no provider has to. */
  readonly access_until: Date | null;
  /** The teams that the user is in. */
  readonly team_ids: readonly string[];
  /** The only team that the key, or the service account, works for; null: it is not bound to one. */
  readonly only_team_id: string | null;
}

/** Where a sign-in comes from. */
export interface Source {
  readonly device: string | null;
  readonly address: string | null;
}

type TokenCredential = Credential & Source & { readonly family_id: string };

const teamIds = sql<string[]>`array(select team_id from team_members where team_members.user_id = users.id)`;

/** Stores the fingerprints of the master keys; returns those stored before. */
export async function noteMasterKeys(
  db: Database,
  fingerprints: ReadonlyMap<number, Buffer>,
): Promise<ReadonlyMap<number, Buffer>> {
  await db
    .insertInto("master_keys")
    .values([...fingerprints].map(([version, fingerprint]) => ({ version, fingerprint })))
    .onConflict((conflict) => conflict.column("version").doNothing())
    .execute();
  const rows = await db.selectFrom("master_keys").selectAll().execute();
  return new Map(rows.map(({ version, fingerprint }) => [version, fingerprint]));
}

export async function findToken(db: Database, id: string, kind: UserTokenKind): Promise<TokenCredential | undefined> {
  const row = await db
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .select(["tokens.hash", "tokens.key_version", "tokens.expires_at", "tokens.revoked_at", "tokens.family_id"])
    .select(["tokens.device", "tokens.address"])
    .select(["users.id as user_id", "users.name as user_name", "users.role", "users.access_until"])
    .select(teamIds.as("team_ids"))
    .where("tokens.id", "=", id)
    .where("tokens.kind", "=", kind)
    .where("users.removed_at", "is", null)
    .executeTakeFirst();
  return row && { ...row, scopes: null, only_team_id: null };
}

export async function findApiKey(db: Database, id: string): Promise<Credential | undefined> {
  return db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.user_id")
    .select(["api_keys.hash", "api_keys.key_version", "api_keys.expires_at", "api_keys.revoked_at", "api_keys.scopes"])
    .select(["users.id as user_id", "users.name as user_name", "users.role", "users.access_until"])
    .select([teamIds.as("team_ids"), sql<string | null>`coalesce(api_keys.team_id, users.team_id)`.as("only_team_id")])
    .where("api_keys.id", "=", id)
    .where("users.removed_at", "is", null)
    .executeTakeFirst();
}

export async function insertToken(
  trx: Transaction,
  token: {
    id: string;
    user_id: string;
    kind: UserTokenKind;
    family_id: string;
    hash: Buffer;
    key_version: number;
    created_at: Date;
    expires_at: Date | null;
  } & Source,
): Promise<void> {
  await trx.insertInto("tokens").values(token).execute();
}

/** Whether nobody has revoked the token. */
export async function isTokenLive(trx: Transaction, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom("tokens")
    .select("id")
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function revokeToken(trx: Transaction, id: string, now: Date): Promise<void> {
  await trx.updateTable("tokens").set({ revoked_at: now }).where("id", "=", id).execute();
}

/** The sign-in that a token came of. */
export async function findFamily(trx: Transaction, tokenId: string): Promise<string | undefined> {
  const row = await trx.selectFrom("tokens").select("family_id").where("id", "=", tokenId).executeTakeFirst();
  return row?.family_id;
}

/** Spends a sign-in code; false if it was spent already or has expired. */
export async function spendCode(trx: Transaction, id: string, now: Date): Promise<boolean> {
  const result = await trx
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("id", "=", id)
    .where("kind", "=", "code")
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Removes all but a user's newest sign-in codes. */
export async function removeOldCodes(trx: Transaction, userId: string, maxCodes: number): Promise<void> {
  await sql`
    delete from tokens where id in (
      select id from tokens where user_id = ${userId} and kind = 'code' order by id desc offset ${maxCodes}
    )`.execute(trx);
}

/** Revokes every token that came of one sign-in; returns how many still worked. */
export async function revokeFamily(trx: Transaction, familyId: string, now: Date, ofUser?: string): Promise<number> {
  const result = await trx
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("family_id", "=", familyId)
    .$if(ofUser !== undefined, (query) => query.where("user_id", "=", ofUser ?? ""))
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

export async function revokeTokensOfUser(trx: Transaction, userId: string, now: Date): Promise<void> {
  await trx
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
}

export async function revokeKeysOfUser(trx: Transaction, userId: string, now: Date): Promise<void> {
  await trx
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
}

export interface ApiKeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly team_id: string | null;
  readonly name: string;
  readonly scopes: Scope[];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

const apiKeyColumns = [
  "id",
  "user_id",
  "team_id",
  "name",
  "scopes",
  "created_at",
  "expires_at",
  "revoked_at",
  "last_used_at",
] as const;

export async function insertApiKey(
  trx: Transaction,
  key: Omit<ApiKeyRow, "revoked_at" | "last_used_at"> & { hash: Buffer; key_version: number },
): Promise<void> {
  await trx.insertInto("api_keys").values(key).execute();
}

/** Locks a key until the transaction ends: of this user, or of any if undefined. */
export async function lockApiKey(
  trx: Transaction,
  id: string,
  userId: string | undefined,
): Promise<ApiKeyRow | undefined> {
  return trx
    .selectFrom("api_keys")
    .select(apiKeyColumns)
    .where("id", "=", id)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
    .forUpdate()
    .executeTakeFirst();
}

/** Sets when a key expires, or revokes it. */
export async function endApiKey(
  trx: Transaction,
  id: string,
  end: { revokedAt: Date } | { expiresAt: Date },
): Promise<void> {
  const change = "revokedAt" in end ? { revoked_at: end.revokedAt } : { expires_at: end.expiresAt };
  await trx.updateTable("api_keys").set(change).where("id", "=", id).execute();
}

export async function selectApiKeys(db: Database, userId: string, { limit, after }: PageRequest): Promise<ApiKeyRow[]> {
  return db
    .selectFrom("api_keys")
    .select(apiKeyColumns)
    .where("user_id", "=", userId)
    .$if(after !== undefined, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
}

/** Counts the keys of a user that work at this time. */
export async function countLiveKeys(trx: Transaction, userId: string, now: Date): Promise<number> {
  const { count } = await trx
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Stores when keys and tokens were last used. */
export async function touchUsed(db: Database, ids: readonly string[], now: Date): Promise<void> {
  await sql`
    with keys as (update api_keys set last_used_at = ${now} where id = any(${ids}::text[]))
    update tokens set last_used_at = ${now} where id = any(${ids}::text[])`.execute(db);
}

/** How long ended keys stay visible to their owners. */
const endedRetentionMs = 30 * 24 * 3600_000;

/** Removes keys and tokens that expired or were revoked long ago. */
export async function removeEnded(db: Database, now: Date): Promise<void> {
  const longAgo = new Date(now.getTime() - endedRetentionMs);
  await sql`
    with keys as (delete from api_keys where expires_at < ${longAgo} or revoked_at < ${longAgo})
    delete from tokens where expires_at < ${longAgo} or revoked_at < ${longAgo}`.execute(db);
}
