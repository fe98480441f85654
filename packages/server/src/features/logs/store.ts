import { sql } from "kysely";
import type { LogChunk } from "../../engine/logs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { atMost } from "./at-most.ts";

export interface LogFilter {
  readonly projectId: string;
  readonly source?: string | undefined;
  readonly taskId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Only chunks that contain this text. */
  readonly contains?: string | undefined;
}

export interface LogRow extends LogChunk {
  readonly id: number;
  readonly at: Date;
}

/** Nodes write concurrently: without this, a row with a smaller id could commit after it was passed. */
const isSettled = sql<boolean>`xid < pg_snapshot_xmin(pg_current_snapshot())`;

/** A text is looked for in all of a log: half a second of a connection, of which the whole service has twenty. */
const searching = atMost(2);

type LogPosition =
  | { readonly after: number; readonly upTo?: number | undefined }
  | { readonly before: number | undefined };

/** Selects chunks after an id in order, or the last ones before an id, newest first; searches none for a reader who is gone. */
export async function selectLogs(
  db: Database,
  { projectId, source, taskId, agentId, contains }: LogFilter,
  page: LogPosition & { readonly limit: number; readonly isFollowed: boolean; readonly gone?: AbortSignal | undefined },
): Promise<LogRow[]> {
  let query = db
    .selectFrom("logs")
    .select(["id", "project_id as projectId", "source", "task_id as taskId", "attempt", "agent_id as agentId"])
    .select(["at", "lines", "text"])
    .where("project_id", "=", projectId)
    .limit(page.limit);
  if (source !== undefined) query = query.where("source", "=", source);
  if (taskId !== undefined) query = query.where("task_id", "=", taskId);
  if (agentId !== undefined) query = query.where("agent_id", "=", agentId);
  if (contains !== undefined) query = query.where(sql<boolean>`strpos(text, ${contains}) > 0`);
  if (page.isFollowed) query = query.where(isSettled);
  if ("after" in page) query = query.where("id", ">", page.after).orderBy("id");
  else query = query.orderBy("id", "desc");
  if ("after" in page && page.upTo !== undefined) query = query.where("id", "<=", page.upTo);
  if ("before" in page && page.before !== undefined) query = query.where("id", "<", page.before);
  if (contains === undefined) return query.execute();
  return searching(async () => (page.gone?.aborted ? [] : query.execute()));
}

/** The last chunk of a project that followers are told of; 0: there is none. */
export async function findLogEnd(db: Database, projectId: string): Promise<number> {
  const chunks = db.selectFrom("logs").select("id").where("project_id", "=", projectId).where(isSettled);
  const last = await chunks.orderBy("id", "desc").limit(1).executeTakeFirst();
  return last?.id ?? 0;
}

/** The sources that have written to a project's log. */
export async function selectSources(db: Database, projectId: string): Promise<string[]> {
  const rows = await db.selectFrom("logs").select("source").distinct().where("project_id", "=", projectId).execute();
  return rows.map(({ source }) => source);
}
