import { type CompleteSpec, type OfferedTask, parallelTasksOf, planWork, type ResolvedSpec } from "@slipway/spec";
import type { PlanContent, Rules } from "../../engine/lifecycle/index.ts";

/** How often an agent may try a task. */
const attemptsPerAgent = 3;

/** The plan that follows from a document by itself, and what the document says about how it is carried out. */
export function prepareRun(
  { document, environment }: ResolvedSpec,
  reviewPlan: boolean,
  offered?: readonly OfferedTask[],
): PlanContent {
  const rules: Rules = {
    parallelTasks: parallelTasksOf(document),
    attemptsPerAgent,
    reviewPlan,
    approveDeployment: needsApproval(document, environment),
    approvers: environment?.approvers ?? [],
    environment: environment?.name ?? "",
    roles: roleRequirements(document),
  };
  return { plan: planWork(document, offered), rules };
}

/** Whether a person must let the result go live. A name that is no environment holds for every deployment. */
function needsApproval(document: CompleteSpec, environment: ResolvedSpec["environment"]): boolean {
  if (environment?.requires_approval || (environment?.approvers.length ?? 0) > 0) return true;
  const required = document.guardrails.deployment.human_approval_required;
  if (!Array.isArray(required)) return required === true;
  const isEnvironment = (name: string) => Object.hasOwn(document.environments ?? {}, name);
  return required.some((name) => name === environment?.name || !isEnvironment(name));
}

function roleRequirements(document: CompleteSpec): Rules["roles"] {
  const asked = Object.entries(document.requirements?.agents ?? {});
  const roles = Object.fromEntries(
    asked.map(([role, { capabilities, preferred }]) => [role, { capabilities, preferred }]),
  );
  // Who builds it must know how to build such a thing, and for the rest there are agents made for it, where the document
  // does not say better.
  const prefer = (role: string) => ({ capabilities: [], preferred: [role] });
  return {
    planner: prefer("planner"),
    reviewer: prefer("reviewer"),
    deployer: prefer("deployer"),
    implementer: { capabilities: [document.outcome_type], preferred: [] },
    ...roles,
  };
}
