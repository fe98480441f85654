import {
  type CompleteSpec,
  type OfferedTask,
  parallelTasksOf,
  planWork,
  type ResolvedSpec,
  restRole,
  type SpecDocument,
} from "@slipway/spec";
import type { PlanContent, PromotionTarget, Rules } from "../../engine/lifecycle/index.ts";
import { linesToJudge } from "../../verification/index.ts";

const attemptsPerAgent = 3;

/** Derives the plan and the rules of a run from its document. */
export function prepareRun(
  { document, environment }: ResolvedSpec,
  reviewPlan: boolean,
  {
    offered,
    following = [],
  }: {
    readonly offered?: readonly OfferedTask[] | undefined;
    /** The document for each environment that gets the result after this one. */
    readonly following?: readonly ResolvedSpec[];
  } = {},
): PlanContent {
  const rules: Rules = {
    parallelTasks: parallelTasksOf(document),
    attemptsPerAgent,
    repairRounds: document.guardrails.repair_rounds,
    reviewPlan,
    approveDeployment: needsApproval(document, environment),
    asksIfUnverified: document.guardrails.unverified === "ask",
    linesOfDeployment: linesOfDeployment(document),
    needsJudgement: linesToJudge(document).length > 0,
    approvers: environment?.approvers ?? [],
    environment: environment?.name ?? "",
    roles: roleRequirements(document),
    ...(following.length > 0 && { following: following.map(promotionTarget) }),
  };
  return { plan: planWork(document, offered), rules };
}

/** A further environment as the run goes there, and who lets it. */
export function promotionTarget({ document, environment }: ResolvedSpec): PromotionTarget {
  return {
    environment: environment?.name ?? "",
    needsApproval: needsApproval(document, environment),
    asksIfUnverified: document.guardrails.unverified === "ask",
    linesOfDeployment: linesOfDeployment(document),
    approvers: environment?.approvers ?? [],
  };
}

/**
 * The environments that get the result by themselves after its first one: those with `auto_deploy`, in the document's
 * order. A run for another environment than the document's default one goes nowhere else.
 */
export function followingEnvironments(
  { environments = {} }: Pick<SpecDocument, "environments">,
  target: string | undefined,
): readonly string[] {
  const [first, ...others] = Object.entries(environments).filter(([, block]) => block?.auto_deploy === true);
  return first?.[0] === target ? others.map(([name]) => name) : [];
}

/** How many lines only the deployment itself can show. */
function linesOfDeployment({ acceptance }: CompleteSpec): number {
  return ["deployment_time_max_minutes", "zero_downtime"].filter((name) => Object.hasOwn(acceptance, name)).length;
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
  const implementer = roles["implementer"] ?? { capabilities: [document.outcome_type], preferred: [] };
  const { language } = document.stack;
  const finisher = roles[restRole] ?? {
    capabilities: implementer.capabilities,
    preferred: typeof language === "string" ? [language.toLowerCase()] : [],
  };
  return {
    planner: prefer("planner"),
    reviewer: prefer("reviewer"),
    deployer: prefer("deployer"),
    implementer,
    ...roles,
    // Only agents that do not build by rule have this capability.
    [restRole]: { ...finisher, capabilities: [...new Set([...finisher.capabilities, restRole])] },
  };
}
