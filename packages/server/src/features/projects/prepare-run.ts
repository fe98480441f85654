import { type CompleteSpec, type OfferedTask, parallelTasksOf, planWork, type ResolvedSpec } from "@slipway/spec";
import type { PlanContent, Rules } from "../../engine/lifecycle/index.ts";
import { linesToJudge } from "../../verification/index.ts";

const attemptsPerAgent = 3;

/** Derives the plan and the rules of a run from its document. */
export function prepareRun(
  { document, environment }: ResolvedSpec,
  reviewPlan: boolean,
  offered?: readonly OfferedTask[],
): PlanContent {
  const rules: Rules = {
    parallelTasks: parallelTasksOf(document),
    attemptsPerAgent,
    repairRounds: document.guardrails.repair_rounds,
    reviewPlan,
    approveDeployment: needsApproval(document, environment),
    asksIfUnverified: document.guardrails.unverified === "ask",
    linesOfDeployment: document.acceptance.deployment_time_max_minutes === undefined ? 0 : 1,
    needsJudgement: linesToJudge(document).length > 0,
    approvers: environment?.approvers ?? [],
    environment: environment?.name ?? "",
    roles: roleRequirements(document),
  };
  return { plan: planWork(document, offered), rules };
}

/** Whether a person must approve the deployment. A name that is not an environment applies to every deployment. */
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
  // Unless the document says otherwise, the implementer must be able to build the outcome type, and specialised agents are
  // preferred for the other roles.
  const prefer = (role: string) => ({ capabilities: [], preferred: [role] });
  return {
    planner: prefer("planner"),
    reviewer: prefer("reviewer"),
    deployer: prefer("deployer"),
    implementer: { capabilities: [document.outcome_type], preferred: [] },
    ...roles,
  };
}
