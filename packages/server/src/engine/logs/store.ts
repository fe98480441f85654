import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";

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

export async function insertLogs(db: Database, chunks: readonly LogChunk[]): Promise<void> {
  await sql`
    insert into logs (project_id, source, task_id, attempt, agent_id, lines, text)
    select "projectId", source, "taskId", attempt, "agentId", lines, text
    from json_to_recordset(${JSON.stringify(chunks)}) as chunk (
      "projectId" text, source text, "taskId" text, attempt integer, "agentId" text, lines integer, text text
    )
    where exists (select from projects where projects.id = "projectId")`.execute(db);
}

/** Removes the oldest chunks of projects whose logs exceed `maxBytes`. */
export async function trimLogs(db: Database, maxBytes: number): Promise<void> {
  await sql`
    delete from logs using (
      select id, sum(octet_length(text)) over (partition by project_id order by id desc) as newer from logs
    ) as sized
    where logs.id = sized.id and sized.newer > ${maxBytes}`.execute(db);
}
