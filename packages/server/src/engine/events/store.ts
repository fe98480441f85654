import type { EventName } from "@slipway/contract";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { storableJson } from "../../platform/one-line.ts";
import type { BoundedData } from "./bounded-data.ts";

export interface EventRow {
  readonly project_id: string;
  readonly sequence: number;
  readonly id: string;
  readonly name: EventName;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
}

export type NewEvent = Omit<EventRow, "sequence" | "data"> & { readonly data: BoundedData };

/**
 * Takes the next sequence of a project and writes the event under it. The project's row is locked until the transaction
 * ends, so sequences have no gaps and appear in order.
 */
export async function insertEvent(trx: Transaction, event: NewEvent): Promise<number> {
  const { rows } = await sql<{ sequence: number }>`
    with next as (
      -- Locked first: an update that waits for the row would already have its transaction id, and so a wrong place in the log.
      update projects set last_sequence = last_sequence + 1
      where id = (select id from projects where id = ${event.project_id} for no key update) returning last_sequence
    )
    insert into events (project_id, sequence, id, name, data, created_at)
    select ${event.project_id}, last_sequence, ${event.id}, ${event.name}, ${storableJson(event.data)}::jsonb, ${event.created_at}
    from next
    returning sequence`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error(`The project ${event.project_id} does not exist.`);
  return row.sequence;
}

/** The events after a sequence, in order. */
export async function selectEvents(db: Database, projectId: string, after: number, limit: number): Promise<EventRow[]> {
  return db
    .selectFrom("events")
    .select(["project_id", "sequence", "id", "name", "data", "created_at"])
    .where("project_id", "=", projectId)
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(limit)
    .execute();
}

/** A position in the log of all projects: after earlier transactions, and after a sequence within this one. */
export interface LogPosition {
  /** The transaction id, as text because it exceeds a number. */
  readonly xid: string;
  readonly projectId: string;
  readonly sequence: number;
}

/**
 * The events of all projects after a position, ordered by transaction id. It stops at the oldest open transaction, whose
 * events would otherwise be skipped.
 */
export async function selectEventsInCommitOrder(
  db: Database,
  after: LogPosition,
  limit: number,
): Promise<(EventRow & { readonly xid: string })[]> {
  const { rows } = await sql<EventRow & { xid: string }>`
    select xid::text, project_id, sequence, id, name, data, created_at from events
    where (xid, project_id, sequence) > (${after.xid}::xid8, ${after.projectId}, ${after.sequence}::bigint)
      and xid < pg_snapshot_xmin(pg_current_snapshot())
    order by events.xid, project_id, sequence limit ${limit}`.execute(db);
  return rows;
}

/** The present end of the log. */
export interface LogEnd {
  /** A reader that begins here misses no event written from now on. */
  readonly place: LogPosition;
  /** Whether a transaction after that position had committed already, beside older ones that are still open. */
  readonly isBefore: (xid: string) => boolean;
}

export async function findLogEnd(db: Database): Promise<LogEnd> {
  const { rows } = await sql<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`.execute(db);
  const [xmin, xmax, open] = rows[0]!.snapshot.split(":") as [string, string, string];
  const stillOpen = new Set(open.split(","));
  return {
    place: { xid: xmin, projectId: "", sequence: 0 },
    isBefore: (xid) => BigInt(xid) < BigInt(xmax) && !stillOpen.has(xid),
  };
}
