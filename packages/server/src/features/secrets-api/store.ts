import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../../platform/database/index.ts";
import type { PageRequest } from "../../platform/http/index.ts";
import type { SecretPlace } from "./sealed-value.ts";

export type SecretRow = Omit<Selectable<Schema["secrets"]>, "value">;

interface NewValue extends SecretPlace {
  readonly id: string;
  readonly value: Uint8Array;
  readonly by: string;
  readonly now: Date;
}

const columns = ["id", "owner_id", "name", "updated_by", "created_at", "updated_at"] as const;

/** Sets a secret; undefined if it would be a new one and its owner has too many already. */
export async function upsertSecret(
  trx: Transaction,
  { id, ownerId, name, value, by, now }: NewValue,
  maxOfOwner: number,
): Promise<SecretRow | undefined> {
  const { rows } = await sql<SecretRow>`
    insert into secrets (id, owner_id, name, value, updated_by, created_at, updated_at)
    select ${id}, ${ownerId}, ${name}, ${Buffer.from(value)}, ${by}, ${now}, ${now}
    where (
      select count(*) from secrets where owner_id is not distinct from ${ownerId} and name <> ${name}
    ) < ${maxOfOwner}
    on conflict on constraint secrets_of_owner
    do update set value = excluded.value, updated_by = excluded.updated_by, updated_at = excluded.updated_at
    returning id, owner_id, name, updated_by, created_at, updated_at`.execute(trx);
  return rows[0];
}

/** A user's own secrets and the shared ones, newest first; one more than the page holds. */
export async function selectSecrets(
  db: Database,
  ownerId: string,
  { limit, after }: PageRequest,
): Promise<SecretRow[]> {
  return db
    .selectFrom("secrets")
    .select(columns)
    .where((eb) => eb.or([eb("owner_id", "=", ownerId), eb("owner_id", "is", null)]))
    .$if(after !== undefined, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
}

export async function findSecret(db: Database, { ownerId, name }: SecretPlace): Promise<SecretRow | undefined> {
  return db
    .selectFrom("secrets")
    .select(columns)
    .where("owner_id", ownerId === null ? "is" : "=", ownerId)
    .where("name", "=", name)
    .executeTakeFirst();
}

/** Returns false if there is no such secret. */
export async function deleteSecret(trx: Transaction, { ownerId, name }: SecretPlace): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("secrets")
    .where("owner_id", ownerId === null ? "is" : "=", ownerId)
    .where("name", "=", name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The encrypted values that a user's documents may use; a shared one comes before the user's own. */
export async function selectValues(
  db: Database,
  ownerId: string,
  names: readonly string[],
): Promise<{ owner_id: string | null; name: string; value: Buffer }[]> {
  const { rows } = await sql<{ owner_id: string | null; name: string; value: Buffer }>`
    select owner_id, name, value from secrets
    where (owner_id = ${ownerId} or owner_id is null) and name = any(${[...names]}::text[])
    order by owner_id nulls first`.execute(db);
  return rows;
}
