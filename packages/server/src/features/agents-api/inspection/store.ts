import { type Selectable, sql } from "kysely";
import type { Database, Schema } from "../../../platform/database/index.ts";
import type { Principal } from "../../../platform/http/index.ts";
import { readableBy } from "../../projects/index.ts";

export type AgentRunRow = Selectable<Schema["agent_runs"]>;

interface WhichRun {
  readonly agentId: string;
  readonly projectId: string | undefined;
  readonly taskId: string | undefined;
  /** Limits the search to projects that this caller may read. */
  readonly principal: Principal;
}

/** The agent's latest run that matches. */
export async function findLatestRun(
  db: Database,
  { agentId, projectId, taskId, principal }: WhichRun,
): Promise<AgentRunRow | undefined> {
  const { rows } = await sql<AgentRunRow>`
    select agent_runs.* from agent_runs join projects on projects.id = agent_runs.project_id
    where agent_id = ${agentId}
      and (${projectId ?? null}::text is null or project_id = ${projectId ?? null})
      and (${taskId ?? null}::text is null or task_id = ${taskId ?? null})
      and ${readableBy(principal)}
    order by agent_runs.started_at desc limit 1`.execute(db);
  return rows[0];
}
