import { sql } from "kysely";
import type { Database, Transaction } from "../database/index.ts";

/** A request with an `Idempotency-Key`, while it is in flight. */
export interface Claim {
  readonly principal: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly requestHash: Buffer;
  readonly isSecret: boolean;
  /** Tells this claim from a later one that took over the key. */
  readonly claimedAt: Date;
}

export interface IdempotencyRow {
  readonly requestHash: Buffer;
  /** Null while the first request is in flight. */
  readonly status: number | null;
  readonly headers: Record<string, string> | null;
  readonly body: Buffer | null;
  readonly isEncrypted: boolean;
}

interface ClaimTimes {
  readonly expiresAt: Date;
  /** A request in flight since before this moment died with its node. */
  readonly abandonedBefore: Date;
}

/** Claims a key for a request; returns the earlier row if another request has it. */
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
  // Released between the two statements: treat it as still in flight.
  if (row === undefined) return { requestHash, status: null, headers: null, body: null, isEncrypted: false };
  return {
    requestHash: row.request_hash,
    status: row.status,
    headers: row.headers,
    body: row.body,
    isEncrypted: row.is_encrypted,
  };
}

/** Stores the answer of the request that claimed the key; false if another took over the key meanwhile. */
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

/** Releases the key of a request that changed nothing. */
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

/** Releases the keys of requests that died with the service. Only for the single node of a database, before it serves. */
export async function releaseUnfinishedKeys(db: Database): Promise<void> {
  await db.deleteFrom("idempotency").where("status", "is", null).execute();
}

/** Adds the counts of this node; returns those of all nodes together. */
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

/** Removes expired idempotency keys and old rate counts. */
export async function removeExpired(db: Database, now: Date): Promise<void> {
  await db.deleteFrom("idempotency").where("expires_at", "<", now).execute();
  await db
    .deleteFrom("rate_counts")
    .where("window_start", "<", new Date(now.getTime() - 10 * 60_000))
    .execute();
}

/** Makes conditional changes of one resource wait for each other until the transaction ends. */
export async function lockResource(trx: Transaction, resource: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${resource}, 0))`.execute(trx);
}
