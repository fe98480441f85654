import type { Transaction } from "../../platform/database/index.ts";
import { shortened, storableText } from "../../platform/one-line.ts";
import {
  type ClaimedJob,
  type Finished,
  type SettledBatch,
  type SettledJob,
  settleJobs,
  type Verdict,
} from "../jobs/index.ts";
import { BatchCommit, type CommitDeps, type CommitResult } from "./batch-commit.ts";
import type { PhaseVerdict, PromotionOutcome, TaskOutcome } from "./ports.ts";
import type { GateName, RunError } from "./state.ts";
import type { PlanContent } from "./store.ts";

/** How a job ended. */
export type Result =
  | { readonly kind: "begin"; readonly content: PlanContent }
  | { readonly kind: "unreadable"; readonly message: string }
  | { readonly kind: "lost"; readonly message: string }
  | { readonly kind: "deadline"; readonly gate: GateName | "promotion"; readonly round: number }
  | { readonly kind: "promote"; readonly promotion: number; readonly outcome: PromotionOutcome }
  | { readonly kind: "fill"; readonly role: string; readonly agentId: string }
  | { readonly kind: "verify"; readonly phase: string; readonly verdict: PhaseVerdict }
  | { readonly kind: "task"; readonly taskId: string; readonly durationMs: number; readonly outcome: TaskOutcome };

/** Locks the runs, deletes the finished jobs by their fence and applies their results; says which of them count. */
export async function settleResults(
  trx: Transaction,
  deps: CommitDeps,
  finished: readonly FinishedJob[],
): Promise<SettledBatch<Result, CommitResult>> {
  const projectIds = finished.map(({ job }) => job.groupId);
  const [merges, others] = partition(finished, hasNewHead);
  // Lock the runs first: whoever changes a run locks its row before anything else of it.
  const opening = BatchCommit.open(trx, deps, projectIds);
  const [batch, settled] = await Promise.all([opening, settleJobs(trx, others.map(jobOf))]);
  const verdicts = new Map<FinishedJob, Verdict>();
  const merged = new Set<string>();
  const [stale, fresh] = partition(merges, (one) => isOutdated(batch, one, merged));
  for (const one of stale) verdicts.set(one, "stale");
  if (fresh.length > 0) settled.push(...(await settleJobs(trx, fresh.map(jobOf))));
  const own = new Map(settled.map((job) => [job.id, job]));
  for (const one of finished) {
    if (verdicts.has(one)) continue;
    const job = own.get(one.job.id);
    verdicts.set(one, job === undefined ? "lost" : "settled");
    if (job !== undefined) applyResult(batch, one, job);
  }
  return {
    verdicts,
    send: (answers, enqueue) => batch.send(answers, enqueue),
    noteCommitted: () => batch.remember(),
  };
}

type FinishedJob = Finished<Result>;

const jobOf = ({ job }: FinishedJob) => job;

function partition<T>(all: readonly T[], isOne: (item: T) => boolean): [one: T[], other: T[]] {
  const [one, other]: [T[], T[]] = [[], []];
  for (const item of all) (isOne(item) ? one : other).push(item);
  return [one, other];
}

/** Whether the result moves the workspace on. */
function hasNewHead({ result }: FinishedJob): boolean {
  return result.kind === "task" && result.outcome.is === "succeeded" && result.outcome.head !== undefined;
}

/** A result that was made from an older workspace than there is now must be merged again first. */
function isOutdated(batch: BatchCommit, { job, result }: FinishedJob, merged: Set<string>): boolean {
  if (result.kind !== "task" || result.outcome.is !== "succeeded") return false;
  const head = batch.find(job.groupId)?.state.head?.commit ?? null;
  if (merged.has(job.groupId) || head !== (result.outcome.base ?? null)) return true;
  merged.add(job.groupId);
  return false;
}

function applyResult(batch: BatchCommit, { job, result }: FinishedJob, settled: SettledJob): void {
  const { groupId: projectId, number } = job;
  switch (result.kind) {
    case "begin":
      batch.begin(projectId, result.content);
      return;
    case "unreadable":
      batch.apply(projectId, { type: "unreadable", message: result.message });
      return;
    case "lost":
      batch.apply(projectId, { type: "lost", message: result.message });
      return;
    case "deadline":
      batch.expire(projectId, result.gate, result.round);
      return;
    case "fill":
      batch.apply(projectId, { type: "role_filled", role: result.role, agentId: result.agentId });
      return;
    case "verify":
      applyVerdict(batch, projectId, number, result);
      return;
    case "promote":
      applyPromotion(batch, job, result);
      return;
    case "task":
      applyOutcome(batch, job, result, settled);
      return;
  }
}

function applyVerdict(
  batch: BatchCommit,
  projectId: string,
  job: number,
  { phase, verdict }: Extract<Result, { kind: "verify" }>,
): void {
  const { artifacts = [] } = verdict;
  const checks = verdict.checks && { checks: verdict.checks };
  batch.addArtifacts(projectId, artifacts);
  batch.apply(
    projectId,
    verdict.isAccepted
      ? { type: "phase_accepted", phase, job, artifacts, ...checks }
      : { type: "phase_rejected", phase, job, error: storable(verdict.error), ...checks },
  );
}

function applyPromotion(
  batch: BatchCommit,
  { groupId: projectId, number: job }: ClaimedJob,
  { promotion: number, outcome }: Extract<Result, { kind: "promote" }>,
): void {
  const promotions = Object.values(batch.find(projectId)?.state.promotions?.of ?? {});
  // Another result of the same batch has begun the run again: this one no longer counts.
  if (!promotions.some((one) => one.is === "running" && one.number === number && one.job === job)) return;
  batch.addArtifacts(projectId, outcome.artifacts ?? []);
  if ("error" in outcome) {
    batch.apply(projectId, { type: "promotion_failed", number, job, error: storable(outcome.error) });
    return;
  }
  const { deploymentId, version, url, usage = "" } = outcome.deployment;
  batch.apply(projectId, { type: "promoted", number, job, deploymentId, version, url, usage });
}

function applyOutcome(
  batch: BatchCommit,
  { groupId: projectId, number }: ClaimedJob,
  { taskId, durationMs, outcome }: Extract<Result, { kind: "task" }>,
  { queuedAt, startedAt }: SettledJob,
): void {
  const task = batch.find(projectId)?.state.tasks[taskId];
  // Another result of the same batch has ended the run: this one no longer counts.
  if (task?.is !== "active" || task.job !== number) return;
  const attempt = { projectId, taskId, number: task.attempt, agentId: task.agent, queuedAt, startedAt };
  const { artifacts = [] } = outcome;
  const checks = {
    ...(outcome.checks && { checks: outcome.checks }),
    ...(outcome.issues && { issues: outcome.issues }),
  };
  batch.addArtifacts(projectId, artifacts);
  if (outcome.is === "succeeded") {
    const { head, plan, deployment } = outcome;
    batch.recordAttempt({ ...attempt, outcome: "completed", error: null });
    batch.apply(projectId, {
      type: "task_succeeded",
      taskId,
      job: number,
      durationMs,
      ...(head && { head }),
      ...(plan && { plan }),
      ...(deployment && { deployment }),
      artifacts: artifacts.map(({ type, path }) => ({ type, path })),
      ...checks,
    });
  } else {
    const { isFinal = false, isByRule = false, fingerprint, repair } = outcome;
    const error = storable(outcome.error);
    batch.recordAttempt({ ...attempt, outcome: "failed", error });
    batch.apply(projectId, {
      type: "task_failed",
      taskId,
      job: number,
      durationMs,
      error,
      isFinal,
      isByRule,
      ...(fingerprint && { fingerprint }),
      ...(repair && { repair: { ...repair, description: storableText(repair.description) } }),
      ...checks,
    });
  }
}

/** As much as a worker may say. A failure is told in the project, in lists of projects and in several events. */
const maxMessageLength = 20_000;

function storable(error: RunError): RunError {
  return { ...error, message: shortened(storableText(error.message), maxMessageLength) };
}
