import type { Transaction } from "../database/index.ts";
import { type ClaimedJob, type SettledJob, settleJobs } from "../jobs/index.ts";
import type { PhaseVerdict, TaskOutcome } from "./ports.ts";
import type { GateName, RunError } from "./state.ts";
import type { PlanContent } from "./store.ts";
import type { Turn } from "./turn.ts";

/** How a job ended. */
export type Result =
  | { readonly kind: "begin"; readonly content: PlanContent }
  | { readonly kind: "unreadable"; readonly message: string }
  | { readonly kind: "deadline"; readonly gate: GateName; readonly round: number }
  | { readonly kind: "fill"; readonly role: string; readonly agentId: string }
  | { readonly kind: "verify"; readonly phase: string; readonly verdict: PhaseVerdict }
  | { readonly kind: "task"; readonly taskId: string; readonly durationMs: number; readonly outcome: TaskOutcome };

export type Verdict = "settled" | "stale" | "lost";

/** A job that is over, and who waits to hear whether its result counts. */
export interface Finished {
  readonly job: ClaimedJob;
  readonly result: Result;
  readonly onVerdict: (verdict: Verdict) => void;
}

/** Takes the jobs out of the queue and tells the runs of their results; says which of them count. */
export async function settleResults(
  trx: Transaction,
  turn: Turn,
  finished: readonly Finished[],
): Promise<Map<Finished, Verdict>> {
  const verdicts = new Map<Finished, Verdict>();
  const merged = new Set<string>();
  const fresh = finished.filter((one) => {
    const isStale = isOutdated(turn, one, merged);
    if (isStale) verdicts.set(one, "stale");
    return !isStale;
  });
  const settled = new Map(
    (
      await settleJobs(
        trx,
        fresh.map(({ job }) => job),
      )
    ).map((job) => [job.id, job]),
  );
  for (const one of fresh) {
    const own = settled.get(one.job.id);
    verdicts.set(one, own === undefined ? "lost" : "settled");
    if (own !== undefined) tell(turn, one, own);
  }
  return verdicts;
}

/** A result that was made from an older workspace than there is now must be merged again first. */
function isOutdated(turn: Turn, { job, result }: Finished, merged: Set<string>): boolean {
  if (result.kind !== "task" || result.outcome.is !== "succeeded" || result.outcome.head === undefined) return false;
  const head = turn.find(job.groupId)?.state.head?.commit ?? null;
  if (merged.has(job.groupId) || head !== (result.outcome.base ?? null)) return true;
  merged.add(job.groupId);
  return false;
}

function tell(turn: Turn, { job, result }: Finished, settled: SettledJob): void {
  const { groupId: projectId, number } = job;
  switch (result.kind) {
    case "begin":
      turn.begin(projectId, result.content);
      return;
    case "unreadable":
      turn.tell(projectId, { type: "unreadable", message: result.message });
      return;
    case "deadline":
      turn.expire(projectId, result.gate, result.round);
      return;
    case "fill":
      turn.tell(projectId, { type: "role_filled", role: result.role, agentId: result.agentId });
      return;
    case "verify":
      tellVerdict(turn, projectId, number, result);
      return;
    case "task":
      tellOutcome(turn, job, result, settled);
      return;
  }
}

function tellVerdict(
  turn: Turn,
  projectId: string,
  job: number,
  { phase, verdict }: Extract<Result, { kind: "verify" }>,
): void {
  const { artifacts = [] } = verdict;
  turn.addArtifacts(projectId, artifacts);
  turn.tell(
    projectId,
    verdict.isAccepted
      ? { type: "phase_accepted", phase, job, artifacts }
      : { type: "phase_rejected", phase, job, error: storable(verdict.error) },
  );
}

function tellOutcome(
  turn: Turn,
  { groupId: projectId, number }: ClaimedJob,
  { taskId, durationMs, outcome }: Extract<Result, { kind: "task" }>,
  { queuedAt, startedAt }: SettledJob,
): void {
  const task = turn.find(projectId)?.state.tasks[taskId];
  // Another result of this very turn has ended the run: this one no longer counts.
  if (task?.is !== "active" || task.job !== number) return;
  const attempt = { projectId, taskId, number: task.attempt, agentId: task.agent, queuedAt, startedAt };
  const { artifacts = [] } = outcome;
  turn.addArtifacts(projectId, artifacts);
  if (outcome.is === "succeeded") {
    const { head, plan, deployment } = outcome;
    turn.recordAttempt({ ...attempt, outcome: "completed", error: null });
    turn.tell(projectId, {
      type: "task_succeeded",
      taskId,
      job: number,
      durationMs,
      ...(head && { head }),
      ...(plan && { plan }),
      ...(deployment && { deployment }),
      artifacts: artifacts.map(({ type, path }) => ({ type, path })),
    });
  } else {
    const { isFinal = false } = outcome;
    const error = storable(outcome.error);
    turn.recordAttempt({ ...attempt, outcome: "failed", error });
    turn.tell(projectId, { type: "task_failed", taskId, job: number, durationMs, error, isFinal });
  }
}

/** What agents and scripts say may hold anything, and may be cut anywhere; Postgres takes no NUL and no half of a pair. */
function storable(error: RunError): RunError {
  return { ...error, message: error.message.toWellFormed().replaceAll("\0", "\ufffd") };
}
