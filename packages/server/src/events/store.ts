import type { EventName } from "@slipway/contract";
import { sql } from "kysely";
import type { Database, Transaction } from "../database/index.ts";

export interface EventRow {
  readonly project_id: string;
  readonly sequence: number;
  readonly id: string;
  readonly name: EventName;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
}

export type NewEvent = Omit<EventRow, "sequence">;

/**
 * Takes the next sequence of a project and writes the event under it. The project's row is locked until the transaction
 * ends, so sequences have no gaps and appear in order.
 */
export async function insertEvent(trx: Transaction, event: NewEvent): Promise<number> {
  const { rows } = await sql<{ sequence: number }>`
    with next as (
      update projects set last_sequence = last_sequence + 1 where id = ${event.project_id} returning last_sequence
    )
    insert into events (project_id, sequence, id, name, data, created_at)
    select ${event.project_id}, last_sequence, ${event.id}, ${event.name}, ${JSON.stringify(event.data)}::jsonb, ${event.created_at}
    from next
    returning sequence`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no project ${event.project_id} to write an event for.`);
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
