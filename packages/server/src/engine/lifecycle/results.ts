import type { Transaction } from "../../platform/database/index.ts";
import { type ClaimedJob, type SettledJob, settleJobs } from "../jobs/index.ts";
import { BatchCommit, type CommitDeps } from "./batch-commit.ts";
import type { PhaseVerdict, TaskOutcome } from "./ports.ts";
import type { GateName, RunError } from "./state.ts";
import type { PlanContent } from "./store.ts";

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

/** Opens the turn of the runs, takes the jobs out of the queue and tells the runs of their results; says which of them count. */
export async function settleResults(
  trx: Transaction,
  parts: CommitDeps,
  finished: readonly Finished[],
): Promise<{ readonly turn: BatchCommit; readonly verdicts: ReadonlyMap<Finished, Verdict> }> {
  const projectIds = finished.map(({ job }) => job.groupId);
  const [merges, others] = partition(finished, hasNewHead);
  // The runs first: whoever changes one holds its row before anything else of it.
  const opening = BatchCommit.open(trx, parts, projectIds);
  const [turn, settled] = await Promise.all([opening, settleJobs(trx, others.map(jobOf))]);
  const verdicts = new Map<Finished, Verdict>();
  const merged = new Set<string>();
  const [stale, fresh] = partition(merges, (one) => isOutdated(turn, one, merged));
  for (const one of stale) verdicts.set(one, "stale");
  if (fresh.length > 0) settled.push(...(await settleJobs(trx, fresh.map(jobOf))));
  const own = new Map(settled.map((job) => [job.id, job]));
  for (const one of finished) {
    if (verdicts.has(one)) continue;
    const job = own.get(one.job.id);
    verdicts.set(one, job === undefined ? "lost" : "settled");
    if (job !== undefined) tell(turn, one, job);
  }
  return { turn, verdicts };
}

const jobOf = ({ job }: Finished) => job;

function partition<T>(all: readonly T[], isOne: (item: T) => boolean): [one: T[], other: T[]] {
  const [one, other]: [T[], T[]] = [[], []];
  for (const item of all) (isOne(item) ? one : other).push(item);
  return [one, other];
}

/** Whether the result moves the workspace on. */
function hasNewHead({ result }: Finished): boolean {
  return result.kind === "task" && result.outcome.is === "succeeded" && result.outcome.head !== undefined;
}

/** A result that was made from an older workspace than there is now must be merged again first. */
function isOutdated(turn: BatchCommit, { job, result }: Finished, merged: Set<string>): boolean {
  if (result.kind !== "task" || result.outcome.is !== "succeeded") return false;
  const head = turn.find(job.groupId)?.state.head?.commit ?? null;
  if (merged.has(job.groupId) || head !== (result.outcome.base ?? null)) return true;
  merged.add(job.groupId);
  return false;
}

function tell(turn: BatchCommit, { job, result }: Finished, settled: SettledJob): void {
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
  turn: BatchCommit,
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
  turn: BatchCommit,
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
