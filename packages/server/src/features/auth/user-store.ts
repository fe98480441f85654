import type { Role } from "@slipway/contract";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { PageRequest } from "../../platform/http/index.ts";

export interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly kind: "person" | "service";
  /** Of a service account. */
  readonly team_id: string | null;
}

const columns = ["id", "name", "role", "created_at", "kind", "team_id"] as const;

/** Returns false if the name is taken. */
export async function insertUser(
  trx: Transaction,
  user: Omit<UserRow, "kind" | "team_id"> & Partial<Pick<UserRow, "kind" | "team_id">>,
): Promise<boolean> {
  const result = await trx
    .insertInto("users")
    .values(user)
    .onConflict((conflict) => conflict.column("name").where("removed_at", "is", null).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function findUser(db: Database | Transaction, id: string): Promise<UserRow | undefined> {
  return db.selectFrom("users").select(columns).where("id", "=", id).where("removed_at", "is", null).executeTakeFirst();
}

/** Locks a user until the transaction ends: whoever makes or ends their tokens and keys waits for the other. */
export async function lockUser(trx: Transaction, id: string): Promise<UserRow | undefined> {
  return trx
    .selectFrom("users")
    .select(columns)
    .where("id", "=", id)
    .where("removed_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** The same, for people only: a service account is in no team but its own, and nobody signs in as one. */
export async function lockPerson(trx: Transaction, id: string): Promise<UserRow> {
  const user = await lockUser(trx, id);
  if (user === undefined) throw noSuchUser();
  if (user.kind === "service")
    throw new Refusal(
      "conflict",
      `${user.name} is a service account: it has keys alone, and a team of its own or none.`,
    );
  return user;
}

export function noSuchUser(): Refusal {
  return new Refusal("not_found", "Not found: the user does not exist.");
}

/** Locks all people who are administrators, so that two of them cannot end each other's rights at once. */
export async function lockAdmins(trx: Transaction): Promise<UserRow[]> {
  return trx
    .selectFrom("users")
    .select(columns)
    .where("role", "=", "svc:admin")
    .where("kind", "=", "person")
    .where("removed_at", "is", null)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

export async function findUserByName(db: Database | Transaction, name: string): Promise<UserRow | undefined> {
  return db
    .selectFrom("users")
    .select(columns)
    .where("name", "=", name)
    .where("removed_at", "is", null)
    .executeTakeFirst();
}

export async function selectUsers(
  db: Database,
  { limit, after }: PageRequest,
  { kind, removed = false }: { readonly kind?: UserRow["kind"]; readonly removed?: boolean } = {},
): Promise<UserRow[]> {
  return db
    .selectFrom("users")
    .select(columns)
    .where("removed_at", removed ? "is not" : "is", null)
    .$if(kind !== undefined, (query) => query.where("kind", "=", kind ?? "person"))
    .$if(after !== undefined, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
}

/** Locks a user by name until the transaction ends. */
export async function lockUserByName(trx: Transaction, name: string): Promise<UserRow | undefined> {
  return trx
    .selectFrom("users")
    .select(columns)
    .where("name", "=", name)
    .where("removed_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Gives a service account what its rule says. */
export async function updateAccount(
  trx: Transaction,
  id: string,
  { role, team_id }: Pick<UserRow, "role" | "team_id">,
): Promise<void> {
  await trx.updateTable("users").set({ role, team_id }).where("id", "=", id).execute();
}

export async function updateRole(trx: Transaction, id: string, role: Role): Promise<void> {
  await trx.updateTable("users").set({ role }).where("id", "=", id).execute();
}

export async function markRemoved(trx: Transaction, id: string, now: Date): Promise<void> {
  await trx.updateTable("users").set({ removed_at: now, team_id: null }).where("id", "=", id).execute();
  await trx.deleteFrom("team_members").where("user_id", "=", id).execute();
}

/** Locks a user who was removed, until the transaction ends. */
export async function lockRemoved(trx: Transaction, id: string): Promise<UserRow | undefined> {
  return trx
    .selectFrom("users")
    .select(columns)
    .where("id", "=", id)
    .where("removed_at", "is not", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Lets a removed user in again; a provider of theirs has to confirm them first. */
export async function unmarkRemoved(trx: Transaction, id: string, now: Date): Promise<void> {
  await sql`
    update users set removed_at = null, access_until = case when access_until is not null then ${now}::timestamptz end
    where id = ${id}`.execute(trx);
}

/** Whether a provider decides what the user may do. */
export async function isFromProvider(trx: Transaction, id: string): Promise<boolean> {
  const row = await trx.selectFrom("users").select("access_until").where("id", "=", id).executeTakeFirst();
  return row !== undefined && row.access_until !== null;
}

/** Whether there ever was a user, even one who was removed. */
export async function hasHadUsers(db: Database): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Counts users, at most two: the caller only needs to know whether there are several. A removed one counts while they have
 * projects, because what they wrote may still run.
 */
export async function countUsers(db: Database): Promise<number> {
  const { rows } = await sql`
    select from users
    where removed_at is null or id in (select owner_id from applications)
    limit 2`.execute(db);
  return rows.length;
}

/** Whether one person alone can decide: service accounts answer nobody. */
export async function isOnlyPerson(db: Database, userId: string): Promise<boolean> {
  const others = db
    .selectFrom("users")
    .select("id")
    .where("kind", "=", "person")
    .where("removed_at", "is", null)
    .where("id", "<>", userId);
  return (await others.limit(1).executeTakeFirst()) === undefined;
}
