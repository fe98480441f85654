import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";
import type { TaskUsage } from "../../verification/index.ts";

/** The digest of a project's current artifact at a path. */
export async function findDigest(db: Database, projectId: string, path: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("artifacts")
    .select("digest")
    .where("project_id", "=", projectId)
    .where("checkpoint_id", "is", null)
    .where("path", "=", path)
    .executeTakeFirst();
  return row?.digest ?? undefined;
}

/** The digest of the artifact at a path in the application's latest run before this one that has it. */
export async function findPreviousDigest(db: Database, projectId: string, path: string): Promise<string | undefined> {
  const { rows } = await sql<{ digest: string }>`
    select artifacts.digest
    from projects as this
    join projects as before on before.application_id = this.application_id and before.id < this.id
    join artifacts on artifacts.project_id = before.id and artifacts.checkpoint_id is null and artifacts.path = ${path}
    where this.id = ${projectId}
    order by before.id desc
    limit 1`.execute(db);
  return rows[0]?.digest;
}

/** What the attempts at each task of a project have used, as far as they say. */
export async function selectUsageByTask(db: Database, projectId: string): Promise<TaskUsage[]> {
  const { rows } = await sql<TaskUsage>`
    select task_id as "taskId", (array_agg(agent_id order by number desc))[1] as "agentId", sum(input_tokens)::bigint as input_tokens,
      sum(output_tokens)::bigint as output_tokens, sum(case when cost_usd > 1e9 then 1e9 else cost_usd end) as cost_usd
    from agent_runs where project_id = ${projectId} group by task_id order by task_id`.execute(db);
  return rows;
}
