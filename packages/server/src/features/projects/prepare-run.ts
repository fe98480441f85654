import {
  type CompleteSpec,
  type OfferedTask,
  type PluginType,
  parallelTasksOf,
  planWork,
  type ResolvedSpec,
  resolveSpec,
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
    /** The environments that get the result after this one. */
    readonly following?: readonly PromotionTarget[];
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
    ...(following.length > 0 && { following }),
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

/** Those environments as the run goes there. Only what that takes is resolved: each would be a copy of a whole document. */
export function followingTargets(
  document: SpecDocument,
  target: string | undefined,
  type: PluginType | undefined,
): readonly PromotionTarget[] {
  const { environments, guardrails, acceptance } = document;
  const { deployment, unverified } = guardrails ?? {};
  const asked = Object.entries(acceptance).filter(([name]) => linesThatDeploymentsShow.includes(name));
  const decisive = {
    ...{ id: document.id, name: document.name, description: "", spec_version: document.spec_version },
    ...{ outcome_type: document.outcome_type, stack: {}, acceptance: Object.fromEntries(asked) },
    guardrails: { ...(deployment && { deployment }), ...(unverified && { unverified }) },
  };
  return followingEnvironments(document, target).map((name) => {
    const resolved = resolveSpec({ ...decisive, environments: { [name]: environments![name]! } }, name, type);
    return promotionTarget({ ...resolved, document: { ...resolved.document, environments } as CompleteSpec });
  });
}

/**
 * The environments that get the result by themselves after its first one: those with `auto_deploy`, in the document's
 * order. A run for another environment than the document's default one goes nowhere else.
 */
function followingEnvironments(
  { environments = {} }: Pick<SpecDocument, "environments">,
  target: string | undefined,
): readonly string[] {
  const [first, ...others] = Object.entries(environments).filter(([, block]) => block?.auto_deploy === true);
  return first?.[0] === target ? others.map(([name]) => name) : [];
}

const linesThatDeploymentsShow = ["deployment_time_max_minutes", "zero_downtime"];

/** How many lines only the deployment itself can show. */
function linesOfDeployment({ acceptance }: CompleteSpec): number {
  return linesThatDeploymentsShow.filter((name) => Object.hasOwn(acceptance, name)).length;
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
  const { implementer: building, ...others } = roles;
  const { capabilities = [], preferred = [] } = building ?? {};
  const implementer = { capabilities: capabilities.length > 0 ? capabilities : [document.outcome_type], preferred };
  const { language } = document.stack;
  const finisher = others[restRole] ?? {
    capabilities: implementer.capabilities,
    preferred: typeof language === "string" ? [language.toLowerCase()] : [],
  };
  return {
    planner: prefer("planner"),
    reviewer: prefer("reviewer"),
    deployer: prefer("deployer"),
    implementer,
    ...others,
    // Only agents that do not build by rule have this capability.
    [restRole]: { ...finisher, capabilities: [...new Set([...finisher.capabilities, restRole])] },
  };
}
