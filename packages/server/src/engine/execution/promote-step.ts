import { isDeepStrictEqual } from "node:util";
import { type CompleteSpec, isReview, planWork } from "@slipway/spec";
import { SupervisorGone } from "../../deployment/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import { beforeDeployment } from "../../platform/secrets/index.ts";
import type { Plan, PromotionAttempt, PromotionOutcome, RunError, TaskOutcome } from "../lifecycle/index.ts";
import { openMasked } from "../logs/index.ts";
import { bringLive, tellLive } from "./bring-live.ts";
import { failureOf } from "./failure-of.ts";
import { hideSecrets, maskedError } from "./masked-attempt.ts";
import type { TaskDeps } from "./run-task.ts";
import type { StepInput } from "./step-input.ts";
import { TaskWorkspace } from "./task-workspace.ts";
import { whyNotAccepted } from "./verify-step.ts";

/** Brings the very files that a project has live elsewhere live in a further environment: nothing is built again. */
export async function promoteStep(deps: TaskDeps, promotion: PromotionAttempt): Promise<PromotionOutcome> {
  const { projectId, environment } = promotion;
  const reason = await deps.whyUncontained();
  if (reason !== undefined) return { error: { code: "sandbox_missing", message: reason } };
  const document = await deps.findDocument(projectId, environment);
  const found = await deps.findSecrets(projectId, document);
  if ("message" in found) return { error: { code: found.code, message: found.message } };
  const secrets = found.values;
  const masked = { ...document, secrets: Object.values(secrets) };
  const origin = { projectId, taskId: `deploy ${environment}`, attempt: promotion.number, agentId: "" };
  const openLog = (source: string) => openMasked(deps.logs, { ...origin, source }, masked);
  const promoted = promoteAgain(deps, promotion, { document, secrets, openLog });
  const outcome = await promoted.catch((error: unknown) => {
    const failure = failureOf(error);
    if (failure === undefined || promotion.signal.aborted) throw hideSecrets(error, Object.values(secrets));
    return { error: failure };
  });
  await deps.logs.flush();
  if (!("error" in outcome)) return outcome;
  return { ...outcome, error: await maskedError(outcome.error, Object.values(secrets)) };
}

/** What keeps programs alive may be killed meanwhile. Nobody else repeats it, as a project's own deployment is. */
const maxTimes = 3;

async function promoteAgain(...args: Parameters<typeof promote>): Promise<PromotionOutcome> {
  const [, { signal }] = args;
  for (let time = 1; ; time += 1) {
    try {
      return await promote(...args);
    } catch (error) {
      if (!(error instanceof SupervisorGone) || time === maxTimes || signal.aborted) throw error;
    }
  }
}

async function promote(
  deps: TaskDeps,
  promotion: PromotionAttempt,
  own: Pick<StepInput, "document" | "secrets" | "openLog">,
): Promise<PromotionOutcome> {
  const { deployments } = deps;
  const { projectId, environment, number, signal } = promotion;
  const { document } = own;
  const { run, state, planVersion } = await promotion.load();
  const unserved = await deployments.unserved(document);
  if (unserved.length > 0) return failed(unserved.map(({ reason }) => reason).join(" "));
  if (state.deployment === null) return failed("The project has nothing live that could go there.");
  const unreviewed = missingReviews(document, run.plan.plan);
  if (unreviewed.length > 0) return { error: reviewMissing(unreviewed) };
  const refusal = await whyRefused(deps, promotion, { ...own, run, state, planVersion });
  if (refusal !== undefined) return { error: refusal };
  const { version } = state.deployment;
  const strategy = document.deployment?.strategy ?? "blue_green";
  // Negative: the attempts of the project's own deployment count from 1.
  const release = await deployments.open({ projectId, attempt: -number, environment, version, strategy, document });
  if ("code" in release) return { error: { code: release.code, message: release.message } };
  const { deploymentId } = release;
  const toTell = (outcome: TaskOutcome): PromotionOutcome => {
    const { artifacts = [] } = outcome;
    if (outcome.is === "failed") return { error: outcome.error, artifacts };
    return { deployment: { ...outcome.deployment!, deploymentId }, artifacts };
  };
  const toBring = { projectId, environment, release, signal, ...own };
  // It may have got that far before, and died before it could say so.
  if (release.live !== undefined)
    return toTell(await tellLive(deps, { ...toBring, built: { published: undefined } }, release.live));
  const filled = await deployments.fill(release, projectId, signal).catch(async (error: Error) => {
    const reason = failureOf(error)?.message ?? "It was interrupted.";
    await deployments.giveUp(release, { reason, secrets: own.secrets });
    throw error;
  });
  if ("failure" in filled) {
    await deployments.giveUp(release, { reason: filled.failure, secrets: own.secrets });
    return failed(filled.failure);
  }
  const built = { published: filled.published };
  return toTell(await bringLive(deps, { ...toBring, built, leaseSignal: promotion.leaseSignal() }));
}

/** The roles that a document asks to review the result, and that had no part in this one. */
function missingReviews(document: CompleteSpec, { tasks }: Plan): string[] {
  const had = new Set(tasks.map(({ role }) => role));
  const asked = planWork(document)
    .tasks.filter(isReview)
    .map(({ role }) => role);
  return asked.filter((role) => !had.has(role));
}

function reviewMissing(roles: readonly string[]): RunError {
  const who = oneLine(roles.map((role) => `'${role}'`).join(", "), 500);
  const message = `The environment asks for a review as ${who}, which the result has not had. Run the document for this environment.`;
  return { code: "review_missing", message };
}

function failed(message: string): { error: RunError } {
  return { error: { code: "deployment_failed", message } };
}

type Loaded = Awaited<ReturnType<PromotionAttempt["load"]>>;

/** Why the environment does not take the result: it promises more than the one that the result was verified for. */
async function whyRefused(
  deps: TaskDeps,
  { projectId, id, signal }: PromotionAttempt,
  { run, state, planVersion, ...own }: Loaded & Pick<StepInput, "document" | "secrets" | "openLog">,
): Promise<RunError | undefined> {
  const verified = await deps.findDocument(projectId, run.rules.environment);
  if (isDeepStrictEqual(promisesOf(verified), promisesOf(own.document))) return undefined;
  const workspace = new TaskWorkspace(deps, { projectId, id, signal }, state.head);
  const { tasks } = run.plan.plan;
  try {
    const secrets = beforeDeployment(own.document, own.secrets);
    return await whyNotAccepted(deps, { projectId, planVersion, workspace, signal, tasks, ...own, secrets });
  } finally {
    await workspace.cleanUp();
  }
}

/** What a verification depends on: without what only a deployment shows, or only decides how it goes live. */
function promisesOf({ acceptance, guardrails, scripts, services, stack, resources, timeouts }: CompleteSpec) {
  const {
    deployment_time_max_minutes: _time,
    health_check_timeout_seconds: _health,
    zero_downtime: _zero,
    ...promised
  } = acceptance as Readonly<Record<string, unknown>>;
  const { deployment, ...rules } = guardrails;
  const { tests_required, security_scan_required } = deployment;
  const { deploy: _deploy, rollback: _rollback, migrate: _migrate, ...programs } = scripts ?? {};
  return { promised, rules, tests_required, security_scan_required, programs, services, stack, resources, timeouts };
}
