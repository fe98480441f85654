import { type Database, isDatabaseUnavailable } from "../../platform/database/index.ts";
import { messageOf } from "../../platform/errors/index.ts";
import { WorkspaceError } from "../../platform/git/index.ts";
import type { Log } from "../../platform/log/index.ts";
import { LeaseEnded, type RunningJob, type Verdict } from "../jobs/index.ts";
import type { Run } from "./draft.ts";
import type { PlanCache } from "./plan-cache.ts";
import type { Attempt, Steps, TaskOutcome } from "./ports.ts";
import { readRun } from "./read-run.ts";
import type { Result } from "./settle-results.ts";
import type { GateName, RunState } from "./state.ts";

interface JobContext extends RunningJob<Result> {
  readonly db: Database;
  readonly plans: PlanCache;
  readonly steps: Steps;
  readonly log: Log;
}

/** The payload of each kind of job. */
interface Payloads {
  begin: { reviewPlan?: boolean };
  task: { taskId: string; attempt: number; agentId: string };
  verify: { phase: string };
  fill: { role: string };
  deadline: { gate: GateName | "promotion"; round: number };
  promote: { environment: string; promotion: number };
}

/**
 * How often a job may be lost with its node, or end without a result, before that counts as its failure. It may be what
 * ends the node each time; or an operator restarts the service, or the database comes and goes, which is no fault of its.
 */
const maxLosses = 20;

/** How often verification may end without a verdict before that counts as failed. */
const maxUnverifiedTries = 3;

/** How often a run may fail to begin, for any reason but the database, before it fails for good. */
const maxBeginTries = 10;

/** Does a job and finishes it; never throws. A job without a result is tried again later. */
export async function performJob(context: JobContext): Promise<void> {
  const { job, log, signal } = context;
  try {
    await perform(context);
  } catch (error) {
    if (signal.aborted) return;
    const details = { err: error, project_id: job.groupId, kind: job.kind };
    if (isDatabaseUnavailable(error) || error instanceof LeaseEnded)
      log.debug(details, "A job waits for the database.");
    else log.error(details, "A job failed and is tried again.");
  }
}

async function perform(context: JobContext): Promise<void> {
  const { job, agentId, steps, finish } = context;
  if (job.losses > maxLosses) {
    await finish(giveUp(context));
    return;
  }
  switch (job.kind) {
    case "begin":
      await finish(await prepare(context));
      return;
    case "deadline": {
      const { gate, round } = job.payload as Payloads["deadline"];
      await finish({ kind: "deadline", gate, round });
      return;
    }
    case "fill":
      await finish({ kind: "fill", role: (job.payload as Payloads["fill"]).role, agentId });
      return;
    case "verify": {
      const { phase } = job.payload as Payloads["verify"];
      const { groupId: projectId, number, fence } = job;
      const id = `${number}-${fence}`;
      const verification = { projectId, phase, id, signal: context.signal, load: () => load(context) };
      const verdict = await steps.verifyPhase(verification).catch((error: unknown) => {
        if (error instanceof UnreadableDocument) return { isAccepted: false as const, error: unreadable(error) };
        // No verdict about the phase: the database is away, say, or the disk is full.
        if (isDatabaseUnavailable(error) || job.losses < maxUnverifiedTries) throw error;
        return { isAccepted: false as const, error: { code: noVerdict(error), message: messageOf(error) } };
      });
      if (!context.signal.aborted) await finish({ kind: "verify", phase, verdict });
      return;
    }
    case "task":
      await attemptTask(context);
      return;
    case "promote":
      await promote(context);
      return;
    default:
      throw new Error(`This version does not know jobs of kind '${job.kind}'.`);
  }
}

/** Why a phase could not be verified: a full disk is told apart. */
function noVerdict(error: unknown): string {
  return error instanceof WorkspaceError ? error.code : "verification_failed";
}

/** What it means for the run that a job is not tried any more. */
function giveUp({ job, agentId }: JobContext): Result {
  const message = `The job ended without a result ${job.losses} times: the node that was at it stopped, or failed. The log of the service says why.`;
  const error = { code: "lost", message };
  switch (job.kind) {
    case "deadline":
      return { kind: "deadline", ...(job.payload as Payloads["deadline"]) };
    case "fill":
      return { kind: "fill", ...(job.payload as Payloads["fill"]), agentId };
    case "verify":
      return { kind: "verify", ...(job.payload as Payloads["verify"]), verdict: { isAccepted: false, error } };
    case "promote":
      return { kind: "promote", promotion: (job.payload as Payloads["promote"]).promotion, outcome: { error } };
    case "task": {
      const { taskId } = job.payload as Payloads["task"];
      return { kind: "task", taskId, durationMs: 0, outcome: { is: "failed", error, isFinal: true } };
    }
    default:
      return { kind: "lost", message };
  }
}

async function prepare({ job, steps }: JobContext): Promise<Result> {
  const { reviewPlan = false } = job.payload as Payloads["begin"];
  try {
    return { kind: "begin", content: await steps.prepare(job.groupId, reviewPlan) };
  } catch (error) {
    if (error instanceof UnreadableDocument) return { kind: "unreadable", message: error.message };
    if (isDatabaseUnavailable(error) || job.losses < maxBeginTries) throw error;
    return { kind: "unreadable", message: `The project could not be begun: ${messageOf(error)}` };
  }
}

/** The document was accepted once, but this version of the service cannot read it. */
export class UnreadableDocument extends Error {
  override readonly name = "UnreadableDocument";
}

async function attemptTask(context: JobContext): Promise<void> {
  const { job, steps, signal, leaseSignal, log } = context;
  const { taskId, attempt: number, agentId } = job.payload as Payloads["task"];
  const startedAtMs = performance.now();
  let isOver = false;
  const finish = async (outcome: TaskOutcome): Promise<Verdict> => {
    const verdict = await context.finish({
      kind: "task",
      taskId,
      durationMs: performance.now() - startedAtMs,
      outcome,
    });
    isOver = verdict !== "stale";
    return verdict;
  };
  const attempt: Attempt = {
    projectId: job.groupId,
    taskId,
    number,
    id: `${job.number}-${job.fence}`,
    agentId,
    signal,
    leaseSignal,
    load: async () => {
      const { run, planVersion, state } = await load(context);
      const task = run.plan.tasks.get(taskId);
      if (task === undefined) throw new Error(`The plan has no task '${taskId}'.`);
      return { run, planVersion, state, task };
    },
    finish,
    handOver: async (host) => {
      isOver = await context.handOver(host);
      return isOver;
    },
  };
  try {
    await steps.runTask(attempt);
  } catch (error) {
    if (isOver || signal.aborted) return;
    // Nobody failed: it runs again, uncounted, when the database is back.
    if (isDatabaseUnavailable(error) || error instanceof LeaseEnded) throw error;
    if (error instanceof UnreadableDocument) {
      await finish({ is: "failed", error: unreadable(error), isFinal: true });
      return;
    }
    log.error({ err: error, project_id: job.groupId, task_id: taskId }, "An attempt failed.");
    await finish({ is: "failed", error: { code: "internal_error", message: messageOf(error) } });
  }
}

/** Takes the result to a further environment. What was interrupted is done again, and finds what it has begun. */
async function promote(context: JobContext): Promise<void> {
  const { job, steps, signal, leaseSignal, log } = context;
  const { environment, promotion } = job.payload as Payloads["promote"];
  const outcome = await steps
    .promote({
      ...{ projectId: job.groupId, environment, number: promotion, id: `${job.number}-${job.fence}` },
      ...{ signal, leaseSignal, load: () => load(context) },
    })
    .catch((error: unknown) => {
      if (signal.aborted || isDatabaseUnavailable(error) || error instanceof LeaseEnded) throw error;
      if (error instanceof UnreadableDocument) return { error: unreadable(error) };
      log.error({ err: error, project_id: job.groupId, environment }, "A promotion failed.");
      return { error: { code: "internal_error", message: messageOf(error) } };
    });
  if (!signal.aborted) await context.finish({ kind: "promote", promotion, outcome });
}

/** Trying again would not help: the operator has removed a plugin, say. */
function unreadable({ message }: UnreadableDocument) {
  return { code: "unreadable_document", message };
}

async function load({ db, plans, job }: JobContext): Promise<{ run: Run; planVersion: number; state: RunState }> {
  const found = await readRun(db, plans, job.groupId);
  if (found === undefined) throw new Error(`The run ${job.groupId} is not there.`);
  return found;
}
