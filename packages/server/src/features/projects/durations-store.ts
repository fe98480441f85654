import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";

/** How long the finished tasks of a role took with an agent. */
export interface TaskDurations {
  readonly role: string;
  readonly agentId: string;
  readonly finishedTasks: number;
  readonly medianMs: number;
}

/** Newer runs say more of this machine and these agents; each has some dozens of events to read. */
const maxRuns = 20;

/** What tasks took in the latest runs of an outcome type, by role and agent. */
export async function selectTaskDurations(db: Database, outcomeType: string): Promise<readonly TaskDurations[]> {
  const { rows } = await sql<TaskDurations>`
    select events.data->>'role' as "role", events.data->>'agent_id' as "agentId", count(*)::int as "finishedTasks",
           round(percentile_cont(0.5) within group (order by (events.data->>'duration_ms')::float8))::int as "medianMs"
    from (
      select id from projects where outcome_type = ${outcomeType} and state is not null order by id desc limit ${maxRuns}
    ) as latest
    join events on events.project_id = latest.id and events.name = 'agent.task_completed'
    group by 1, 2`.execute(db);
  return rows;
}
