import type { Database } from "../../platform/database/index.ts";
import { agentPrefix, agentQueue } from "./queues.ts";
import { selectJobsInFlight } from "./read-jobs-store.ts";

/** A task that a node runs for an agent. */
export interface RunningTask {
  readonly agentId: string;
  readonly node: string;
  readonly projectId: string;
  readonly taskId: string;
  readonly startedAt: Date;
  readonly runningForMs: number;
}

/** The tasks that nodes run for these agents, the latest first. */
export async function findRunningTasks(db: Database, agentIds: readonly string[]): Promise<RunningTask[]> {
  const jobs = await selectJobsInFlight(db, agentIds.map(agentQueue));
  return jobs.map(({ queue, groupId, payload, claimedBy, claimedAt, claimedForMs }) => ({
    agentId: queue.slice(agentPrefix.length),
    node: claimedBy,
    projectId: groupId,
    // Only tasks are in the queues of agents.
    taskId: (payload as { taskId: string }).taskId,
    startedAt: claimedAt,
    runningForMs: claimedForMs,
  }));
}
