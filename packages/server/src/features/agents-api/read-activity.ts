import { type AgentActivity, selectActivity } from "../../agents/index.ts";
import { findRunningTasks } from "../../engine/jobs/index.ts";
import type { Database } from "../../platform/database/index.ts";

const hourMs = 3_600_000;

/** What these agents are at, and how busy they were in the last hour. */
export async function readActivity(db: Database, ids: readonly string[]): Promise<AgentActivity[]> {
  // First: a task that ends between the two statements counts twice for a moment, rather than not at all.
  const tasks = await findRunningTasks(db, ids);
  return (await selectActivity(db, ids)).map(({ busySeconds, ...rest }) => {
    const running = tasks.filter(({ agentId }) => agentId === rest.id);
    const runningMs = running.reduce((sum, { runningForMs }) => sum + Math.min(runningForMs, hourMs), 0);
    return { ...rest, running, busySeconds: busySeconds + runningMs / 1_000 };
  });
}
