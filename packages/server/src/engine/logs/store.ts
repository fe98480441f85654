import { sql } from "kysely";
import { advisoryLocks, type Database } from "../../platform/database/index.ts";

const [lockFamily, lockNumber] = advisoryLocks.logs;

/** The origin of log lines. */
export interface LogOrigin {
  readonly projectId: string;
  readonly source: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly agentId: string;
}

export interface LogChunk extends LogOrigin {
  readonly lines: number;
  readonly text: string;
}

/** Of a batch: the transaction of the last try to write it, whose end may not have been heard. */
export interface WriteTry {
  transactionId?: string;
}

/** Writes a batch of chunks, unless an earlier try has. False: that one goes on, and nobody knows yet. */
export async function writeBatch(db: Database, chunks: readonly LogChunk[], last: WriteTry): Promise<boolean> {
  const earlier = last.transactionId === undefined ? null : await outcomeOf(db, last.transactionId);
  if (earlier === "in progress") return false;
  if (earlier === "committed") return true;
  await db.transaction().execute(async (trx) => {
    last.transactionId = await insertLogs(trx, chunks);
  });
  return true;
}

/**
 * What became of an earlier transaction: null, too, where a standby that never heard of it has taken over. Not to be asked
 * within the transaction that writes: it would get its number here, before its turn.
 */
async function outcomeOf(db: Database, earlier: string) {
  const { rows } = await sql<{ outcome: "in progress" | "committed" | "aborted" | null }>`
    select case when own > before then pg_xact_status(before) end as outcome
    from pg_current_xact_id() as own, cast(${earlier}::text as xid8) as before`.execute(db);
  return rows[0]!.outcome;
}

/**
 * Writes chunks in their order, whatever plan Postgres makes; gives the transaction. One node at a time does, and takes its
 * turn before the ids: chunks are read by them, and one that gets its id amid those of another node, but commits later, would
 * be passed over. Its turn comes before the number of its transaction, too: readers stop at the oldest that is still open, and
 * what has the smaller number but the larger id would be read first. Chunks of a project that is removed meanwhile are left
 * out: without the lock of its row, they would take all others with them.
 */
export async function insertLogs(db: Database, chunks: readonly LogChunk[]): Promise<string> {
  const { rows } = await sql<{ transactionId: string }>`
    with turn as materialized (select pg_advisory_xact_lock(${lockFamily}::integer, ${lockNumber}::integer)),
    written as (
      insert into logs (project_id, source, task_id, attempt, agent_id, lines, text)
      select "projectId", source, "taskId", attempt, "agentId", lines, text
      from turn cross join rows from (
        json_to_recordset(${JSON.stringify(chunks)}) as (
          "projectId" text, source text, "taskId" text, attempt integer, "agentId" text, lines integer, text text
        )
      ) with ordinality as chunk ("projectId", source, "taskId", attempt, "agentId", lines, text, place)
      where exists (select from projects where projects.id = "projectId" for key share)
      order by place
    )
    select pg_current_xact_id()::text as "transactionId" from turn`.execute(db);
  return rows[0]!.transactionId;
}

/** Removes the oldest chunks of projects whose logs exceed `maxBytes`. */
export async function trimLogs(db: Database, maxBytes: number): Promise<void> {
  await sql`
    delete from logs using (
      select id, sum(octet_length(text)) over (partition by project_id order by id desc) as newer from logs
    ) as sized
    where logs.id = sized.id and sized.newer > ${maxBytes}`.execute(db);
}
