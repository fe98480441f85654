import { builtInTaskIds, type CompleteSpec, isReview } from "@slipway/spec";
import { beforeDeployment } from "../../platform/secrets/index.ts";
import type { Attempt, AttemptContext, RunError } from "../lifecycle/index.ts";
import { openMasked } from "../logs/index.ts";
import { type BuildDeps, buildStep } from "./build-step.ts";
import { type DeployDeps, deployStep } from "./deploy-step.ts";
import { failureOf } from "./failure-of.ts";
import type { FindSecrets } from "./find-secrets.ts";
import { hideSecrets, maskedAttempt } from "./masked-attempt.ts";
import { type PlanDeps, planStep } from "./plan-step.ts";
import { reviewStep } from "./review-step.ts";
import type { SecretsInUse } from "./secrets-in-use.ts";
import type { StepInput } from "./step-input.ts";
import { TaskWorkspace } from "./task-workspace.ts";
import { type VerifyDeps, verifyStep } from "./verify-step.ts";

export interface TaskDeps extends PlanDeps, BuildDeps, VerifyDeps, DeployDeps {
  /** The project's document, resolved for its environment, or for another one. */
  readonly findDocument: (projectId: string, environment?: string) => Promise<CompleteSpec>;
  readonly findSecrets: FindSecrets;
  readonly secretsInUse: SecretsInUse;
  /** Why programs cannot be contained here and must not run; undefined if they may. */
  readonly whyUncontained: () => Promise<string | undefined>;
}

/** Carries out an attempt at a task: one of the steps plan, build, review, verify and deploy, in a workspace of its own. */
export async function runTask(deps: TaskDeps, claimed: Attempt): Promise<void> {
  const reason = await deps.whyUncontained();
  if (reason !== undefined) return refuse(claimed, { code: "sandbox_missing", message: reason });
  const context = await claimed.load();
  const document = await deps.findDocument(claimed.projectId);
  const found = await deps.findSecrets(claimed.projectId, document);
  if ("message" in found) return refuse(claimed, found, { isFinal: !found.isTransient });
  const step = stepOf(context);
  const secrets = step === deployStep ? found.values : beforeDeployment(document, found.values);
  const ofAgent = deps.findAgent(claimed.agentId)?.secrets?.() ?? [];
  const logged = afterItsLog(deps, claimed);
  const masked = [...ofAgent, ...Object.values(found.values)];
  const attempt = maskedAttempt(logged, masked);
  using _ = deps.secretsInUse.hold(claimed.id, masked);
  const workspace = new TaskWorkspace(deps, attempt, context.state.head);
  const openLog = logOpener(deps, attempt, document, found.values);
  try {
    await step(deps, { attempt, context, document, secrets, allSecrets: found.values, workspace, openLog });
  } catch (error) {
    if (attempt.signal.aborted) return;
    const failure = failureOf(error);
    if (failure === undefined) throw hideSecrets(error, masked);
    await attempt.finish({ is: "failed", error: failure });
  } finally {
    await workspace.cleanUp();
  }
}

/** An attempt that ends when its output can be read: who sees the end looks for the reason there. */
function afterItsLog({ logs }: TaskDeps, attempt: Attempt): Attempt {
  return {
    ...attempt,
    finish: async (outcome) => {
      await logs.flush();
      return attempt.finish(outcome);
    },
  };
}

/** The step of a task: the service's own tasks by their phase, and building for all others. */
function stepOf({ task, run }: AttemptContext): (deps: TaskDeps, input: StepInput) => Promise<void> {
  if (isReview(task)) return reviewStep;
  if (!builtInTaskIds.includes(task.id)) return buildStep;
  switch (run.plan.phases.get(task.phase)?.kind) {
    case "planning":
      return planStep;
    case "validation":
      return verifyStep;
    case "deployment":
      return deployStep;
    default:
      return buildStep;
  }
}

function logOpener(
  { logs }: TaskDeps,
  { projectId, taskId, number, agentId }: Attempt,
  document: CompleteSpec,
  secrets: StepInput["secrets"],
): StepInput["openLog"] {
  const masked = { ...document, secrets: Object.values(secrets) };
  return (source) => openMasked(logs, { projectId, source, taskId, attempt: number, agentId }, masked);
}

/** Fails an attempt before it begins; mostly no further one would fare better. */
async function refuse(attempt: Attempt, { code, message }: RunError, { isFinal = true } = {}): Promise<void> {
  await attempt.finish({ is: "failed", error: { code, message }, ...(isFinal && { isFinal }) });
}
