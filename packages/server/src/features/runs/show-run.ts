import type { Checkpoint, Phase, Task, Usage } from "@slipway/contract";
import type { selectJobsOf } from "../../engine/jobs/index.ts";
import type { PlannedTask, Run, RunState } from "../../engine/lifecycle/index.ts";
import type { AttemptUsage, selectAttempts, selectCheckpoints } from "./store.ts";

type JobRow = Awaited<ReturnType<typeof selectJobsOf>>[number];
type AttemptRow = Awaited<ReturnType<typeof selectAttempts>>[number];
type CheckpointRow = Awaited<ReturnType<typeof selectCheckpoints>>[number];

export function showPhases({ plan }: Run, state: RunState): Phase[] {
  return plan.plan.phases.map(({ name, kind, dependsOn, priority }) => {
    const tasks = plan.tasksOf(name);
    return {
      name,
      kind,
      status: phaseStatus(state, name),
      depends_on: [...dependsOn],
      priority,
      tasks_done: tasks.filter(({ id }) => state.tasks[id]?.is === "done").length,
      tasks: tasks.length,
      estimated_hours: tasks.reduce((sum, { estimatedHours }) => sum + estimatedHours, 0),
    };
  });
}

/** Nothing of a project that has ended goes on, though it may be taken up again there. */
function phaseStatus({ phases, status }: RunState, name: string): Phase["status"] {
  switch (phases[name]?.is) {
    case undefined:
      return "waiting";
    case "running":
      return status === "failed" ? "failed" : "running";
    case "closing":
      return status === "failed" ? "failed" : "verifying";
    case "done":
      return "completed";
  }
}

/** A task with its ended attempts and the one that waits or runs. */
export function showTask(
  planned: PlannedTask,
  state: RunState,
  jobs: readonly JobRow[],
  ended: readonly AttemptRow[],
  used: readonly AttemptUsage[],
): Task {
  const usageOf = (number: number) => showUsage(used.find((one) => one.number === number));
  const now = state.tasks[planned.id];
  const job = now?.is === "active" ? jobs.find(({ number }) => number === now.job) : undefined;
  const attempts: Task["attempts"] = ended.map(
    ({ number, agent_id, queued_at, started_at, ended_at, outcome, error }) => ({
      number,
      agent_id,
      queued_at: queued_at.toISOString(),
      started_at: started_at?.toISOString() ?? null,
      ended_at: ended_at.toISOString(),
      outcome,
      error,
      usage: usageOf(number),
    }),
  );
  if (now !== undefined && job !== undefined) {
    attempts.push({
      number: now.attempt,
      agent_id: now.agent,
      queued_at: job.queuedAt.toISOString(),
      started_at: job.claimedAt?.toISOString() ?? null,
      ended_at: null,
      outcome: job.claimedBy === null ? "queued" : "running",
      error: null,
      usage: usageOf(now.attempt),
    });
  }
  const latest = attempts.at(-1);
  return {
    task_id: planned.id,
    title: planned.title,
    description: planned.description ?? null,
    phase: planned.phase,
    role: planned.role,
    status: taskStatus(now?.is, job),
    agent_id: now?.agent || null,
    depends_on: [...planned.dependsOn],
    estimated_hours: planned.estimatedHours,
    serves: [...planned.serves],
    queued_at: latest?.queued_at ?? null,
    started_at: latest?.started_at ?? null,
    ended_at: latest?.ended_at ?? null,
    attempts,
  };
}

/** Null numbers for an attempt whose agent has reported nothing. */
function showUsage(used: AttemptUsage | undefined): Usage {
  const { input_tokens = null, output_tokens = null, cost_usd = null } = used ?? {};
  return { input_tokens, output_tokens, cost_usd };
}

function taskStatus(is: RunState["tasks"][string]["is"] | undefined, job: JobRow | undefined): Task["status"] {
  switch (is) {
    case undefined:
    case "waiting":
      return "waiting";
    case "active":
      return job?.claimedBy == null ? "queued" : "running";
    case "done":
      return "completed";
    case "failed":
      return "failed";
  }
}

export function showCheckpoint({ id, phase, state, created_at }: CheckpointRow): Checkpoint {
  const { head, progress } = state as RunState;
  return { checkpoint_id: id, phase, commit: head?.commit ?? null, progress, created_at: created_at.toISOString() };
}
