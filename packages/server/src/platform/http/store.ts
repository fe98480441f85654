import { sql } from "kysely";
import type { Database, Transaction } from "../database/index.ts";

/** A request that carries a key. */
export interface Claim {
  readonly principal: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly requestHash: Buffer;
  readonly isSecret: boolean;
  /** When the key was taken: tells this claim from one that took the key over. */
  readonly claimedAt: Date;
}

export interface IdempotencyRow {
  readonly requestHash: Buffer;
  /** Null while the first request is under way. */
  readonly status: number | null;
  readonly headers: Record<string, string> | null;
  readonly body: Buffer | null;
  readonly isEncrypted: boolean;
}

interface ClaimTimes {
  readonly expiresAt: Date;
  /** A request that is in flight since before this was cut off. */
  readonly abandonedBefore: Date;
}

/** Takes a key for a request; answers the earlier row if the key is taken. */
export async function claimKey(
  db: Database,
  { principal, method, path, key, requestHash, claimedAt: now }: Claim,
  { expiresAt, abandonedBefore }: ClaimTimes,
): Promise<IdempotencyRow | undefined> {
  const claimed = await sql<{ claimed: boolean }>`
    insert into idempotency as old (principal, method, path, key, request_hash, created_at, expires_at)
    values (${principal}, ${method}, ${path}, ${key}, ${requestHash}, ${now}, ${expiresAt})
    on conflict (principal, method, path, key) do update
      set request_hash = excluded.request_hash, created_at = excluded.created_at, expires_at = excluded.expires_at,
          status = null, headers = null, body = null, is_encrypted = false
      where old.expires_at <= ${now} or (old.status is null and old.created_at < ${abandonedBefore})
    returning true as claimed`.execute(db);
  if (claimed.rows.length > 0) return undefined;
  const row = await db
    .selectFrom("idempotency")
    .select(["request_hash", "status", "headers", "body", "is_encrypted"])
    .where("principal", "=", principal)
    .where("method", "=", method)
    .where("path", "=", path)
    .where("key", "=", key)
    .executeTakeFirst();
  // Released between the two statements: as if it were still under way.
  if (row === undefined) return { requestHash, status: null, headers: null, body: null, isEncrypted: false };
  return {
    requestHash: row.request_hash,
    status: row.status,
    headers: row.headers,
    body: row.body,
    isEncrypted: row.is_encrypted,
  };
}

/** Keeps the answer of the request that holds the key; false if another has taken the key over meanwhile. */
export async function settleKey(
  db: Database | Transaction,
  { principal, method, path, key, claimedAt }: Claim,
  answer: { status: number; headers: Readonly<Record<string, string>>; body: Uint8Array; isEncrypted: boolean },
): Promise<boolean> {
  const result = await db
    .updateTable("idempotency")
    .set({
      status: answer.status,
      headers: JSON.stringify(answer.headers),
      body: Buffer.from(answer.body),
      is_encrypted: answer.isEncrypted,
    })
    .where("principal", "=", principal)
    .where("method", "=", method)
    .where("path", "=", path)
    .where("key", "=", key)
    .where("created_at", "=", claimedAt)
    .where("status", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Gives a key back whose request was not carried out. */
export async function releaseKey(db: Database, { principal, method, path, key, claimedAt }: Claim): Promise<void> {
  await db
    .deleteFrom("idempotency")
    .where("principal", "=", principal)
    .where("method", "=", method)
    .where("path", "=", path)
    .where("key", "=", key)
    .where("created_at", "=", claimedAt)
    .where("status", "is", null)
    .execute();
}

/** Gives all keys back whose requests were cut off with the server: only for the one server of a database, before it begins. */
export async function releaseUnfinishedKeys(db: Database): Promise<void> {
  await db.deleteFrom("idempotency").where("status", "is", null).execute();
}

/** Adds what this node counted and answers what all nodes counted. */
export async function addRateCounts(
  db: Database,
  windowStart: Date,
  counts: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ key: string; count: number }>`
    insert into rate_counts as old (key, window_start, count)
    select key, ${windowStart}, count from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) as new (key, count)
    on conflict (key, window_start) do update set count = old.count + excluded.count
    returning key, count`.execute(db);
  return new Map(rows.map(({ key, count }) => [key, count]));
}

/** Removes what nobody will ask for again. */
export async function removeExpired(db: Database, now: Date): Promise<void> {
  await db.deleteFrom("idempotency").where("expires_at", "<", now).execute();
  await db
    .deleteFrom("rate_counts")
    .where("window_start", "<", new Date(now.getTime() - 10 * 60_000))
    .execute();
}
