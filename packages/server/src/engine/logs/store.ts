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

/** The last id that any chunk has. */
export async function lastLogId(db: Database): Promise<number> {
  const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from logs`.execute(db);
  return rows[0]!.id;
}

/**
 * Writes a batch of chunks; gives its last id. Where `mayBeAfter` names the last id before an earlier try that was not
 * answered, it looks first whether that one was heard: what it began has ended when we have our turn.
 */
export async function writeBatch(db: Database, chunks: readonly LogChunk[], mayBeAfter?: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    if (mayBeAfter === undefined) return insertLogs(trx, chunks);
    await sql`select pg_advisory_xact_lock(${lockFamily}::integer, ${lockNumber}::integer)`.execute(trx);
    return (await findWritten(trx, chunks, mayBeAfter)) ?? insertLogs(trx, chunks);
  });
}

/** A batch is there as a whole or not at all; lines of an attempt are written by one node. */
async function findWritten(db: Database, chunks: readonly LogChunk[], after: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number | null }>`
    select max(logs.id) as id from ${rowsOf(chunks)} join logs
    on logs.project_id = chunk."projectId" and logs.id > ${after} and logs.source = chunk.source
    and logs.task_id = chunk."taskId" and logs.attempt = chunk.attempt and logs.agent_id = chunk."agentId"
    and logs.text = chunk.text`.execute(db);
  return rows[0]!.id ?? undefined;
}

/**
 * Writes chunks in their order, whatever plan Postgres makes, and gives the last id. One node at a time does, and takes its
 * turn before the ids: chunks are read by them, and one that gets its id amid those of another node, but commits later, would
 * be passed over. Chunks of a project that is removed meanwhile are left out: without the lock of its row, they would take all
 * others with them.
 */
export async function insertLogs(db: Database, chunks: readonly LogChunk[]): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with turn as materialized (select pg_advisory_xact_lock(${lockFamily}::integer, ${lockNumber}::integer))
    insert into logs (project_id, source, task_id, attempt, agent_id, lines, text)
    select "projectId", source, "taskId", attempt, "agentId", lines, text
    from turn cross join ${rowsOf(chunks)}
    where exists (select from projects where projects.id = "projectId" for key share)
    order by place
    returning id`.execute(db);
  return rows.at(-1)?.id ?? 0;
}

function rowsOf(chunks: readonly LogChunk[]) {
  return sql`rows from (
    json_to_recordset(${JSON.stringify(chunks)}) as (
      "projectId" text, source text, "taskId" text, attempt integer, "agentId" text, lines integer, text text
    )
  ) with ordinality as chunk ("projectId", source, "taskId", attempt, "agentId", lines, text, place)`;
}

/** Removes the oldest chunks of projects whose logs exceed `maxBytes`. */
export async function trimLogs(db: Database, maxBytes: number): Promise<void> {
  await sql`
    delete from logs using (
      select id, sum(octet_length(text)) over (partition by project_id order by id desc) as newer from logs
    ) as sized
    where logs.id = sized.id and sized.newer > ${maxBytes}`.execute(db);
}
