import { type AgentActivity, selectActivity, selectBusySeconds } from "../../agents/index.ts";
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

const parts = 12;
const partMs = hourMs / parts;

/** How busy each agent was in each of the last twelve five minutes, the oldest first. */
export async function readHistory(
  db: Database,
  activities: readonly AgentActivity[],
): Promise<ReadonlyMap<string, number[]>> {
  const past = await selectBusySeconds(
    db,
    activities.map(({ id }) => id),
  );
  return new Map(
    activities.map(({ id, running, slots }) => {
      const shares = Array.from({ length: parts }, (_, part) => {
        const endedMs = 1_000 * (past.find((one) => one.id === id && one.part === part)?.seconds ?? 0);
        const sinceMs = (parts - part) * partMs;
        const runningMs = running.map(({ runningForMs }) => Math.min(partMs, runningForMs - (sinceMs - partMs)));
        const busyMs = runningMs.reduce((sum, ms) => sum + Math.max(0, ms), endedMs);
        return Math.min(1, busyMs / partMs / Math.max(1, slots));
      });
      return [id, shares];
    }),
  );
}
