import { sql } from "kysely";
import { advisoryLocks, type Database, type Transaction } from "../../platform/database/index.ts";
import type { PageRequest } from "../../platform/http/index.ts";
import { storableJson } from "../../platform/one-line.ts";

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly actor_name: string;
  readonly action: string;
  readonly target: string;
  readonly address: string;
  readonly request_id: string;
  readonly detail: Record<string, unknown>;
}

export async function insertAudit(trx: Transaction, row: AuditRow): Promise<void> {
  await trx
    .insertInto("audit")
    .values({ ...row, detail: storableJson(row.detail) })
    .execute();
}

export interface AuditFilter {
  /** The id or the name of a user. */
  readonly actor?: string | undefined;
  /** An action, or every action that starts with what is before the `*`. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** An entry's place in the hash chain. */
export interface Sealed {
  readonly position: number;
  readonly hash: Buffer;
}

export type SealedRow = AuditRow & Sealed;

/** Selects one more than the page holds, newest first. */
export function selectAudit(db: Database, { limit, after }: PageRequest, filter: AuditFilter) {
  const { actor, action, target, since, until } = filter;
  let query = db.selectFrom("audit").selectAll();
  if (after !== undefined) query = query.where("id", "<", after);
  if (actor !== undefined) query = query.where((is) => is.or([is("actor", "=", actor), is("actor_name", "=", actor)]));
  if (action?.endsWith("*")) query = query.where((is) => is.fn("starts_with", ["action", is.val(action.slice(0, -1))]));
  else if (action !== undefined) query = query.where("action", "=", action);
  if (target !== undefined) query = query.where("target", "=", target);
  if (since !== undefined) query = query.where("at", ">=", new Date(since));
  if (until !== undefined) query = query.where("at", "<", new Date(until));
  return query
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
}

/** One node at a time adds to the hash chain, until its transaction ends. */
export async function lockChain(trx: Transaction): Promise<void> {
  const [family, number] = advisoryLocks.audit;
  await sql`select pg_advisory_xact_lock(${family}::integer, ${number}::integer)`.execute(trx);
}

export async function saveSealed(trx: Transaction, sealed: readonly (Sealed & { id: string })[]): Promise<void> {
  await sql`
    update audit set position = sealed.position, hash = sealed.hash
    from unnest(
      ${sealed.map(({ id }) => id)}::text[],
      ${sealed.map(({ position }) => position)}::bigint[],
      ${sealed.map(({ hash }) => hash)}::bytea[]
    ) as sealed (id, position, hash)
    where audit.id = sealed.id`.execute(trx);
}

/** The oldest entries that are not in the hash chain yet. */
export function selectUnsealed(trx: Transaction, limit: number): Promise<AuditRow[]> {
  return trx.selectFrom("audit").selectAll().where("position", "is", null).orderBy("id").limit(limit).execute();
}

export async function countUnsealed(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom("audit")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("position", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

/** The end of the hash chain. */
export function lastSealed(db: Database): Promise<Sealed | undefined> {
  return db
    .selectFrom("audit")
    .select(["position", "hash"])
    .where("position", "is not", null)
    .orderBy("position", "desc")
    .limit(1)
    .$narrowType<Sealed>()
    .executeTakeFirst();
}

/** The entries of the hash chain after a position and up to another, in order. */
export function selectSealed(db: Database, after: number, through: number): Promise<SealedRow[]> {
  return db
    .selectFrom("audit")
    .selectAll()
    .where("position", ">", after)
    .where("position", "<=", through)
    .orderBy("position")
    .$narrowType<Sealed>()
    .execute();
}
