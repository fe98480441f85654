import type { Unmet } from "@slipway/blueprints";
import {
  type CompleteSpec,
  type Diagnostic,
  defaultRoles,
  findPluginType,
  planAsData,
  type ResolvedSpec,
  resolveSpec,
  restRole,
  type SpecDocument,
  summarisePlan,
  unusedKeys,
  writtenPointer,
} from "@slipway/spec";
import { outcomeOf } from "../../agents/index.ts";
import { finishedPointers, handOnRest, isBuiltByRule, unmetBy } from "../../engine/execution/index.ts";
import type { AgentDirectory, PlanContent } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { PluginFailure, type Plugins } from "../../platform/plugins/index.ts";
import {
  foreseeSecrets,
  type SecretOwner,
  type SecretSources,
  unusedSecretFields,
} from "../../platform/secrets/index.ts";
import {
  canCheckTypes,
  findBrowser,
  foreseeVerdicts,
  howToGetBrowser,
  missingPrograms,
  preflight,
} from "../../verification/index.ts";
import { selectTaskDurations } from "./durations-store.ts";
import { estimateRun } from "./estimate-run.ts";
import { followingTargets, prepareRun } from "./prepare-run.ts";
import { readWrittenLines } from "./read-written-lines.ts";

/** Finds the application of an owner's documents with this id, and what its next run would begin from. */
export type FindPrevious = (
  ownerId: string,
  documentId: string,
) => Promise<{ applicationId: string | null; projectId: string | null; putAt: string | null }>;

interface Deps {
  readonly db: Database;
  readonly agents: AgentDirectory;
  /** The stores that may provide secrets. */
  readonly secretSources: () => Promise<SecretSources>;
  readonly plugins: Pick<Plugins, "known" | "plan" | "checkNames">;
  readonly findPrevious: FindPrevious;
  /** The integrations of the document that are not configured here. */
  readonly unmetIntegrations: (document: CompleteSpec) => readonly Unmet[];
  /** What it asks for about where it is deployed that nothing here serves. */
  readonly unservedRequests: (document: CompleteSpec) => Promise<readonly Unmet[]>;
}

interface Attempted {
  readonly document: SpecDocument;
  /** As it was sent. */
  readonly content: Uint8Array;
  readonly environment: string | undefined;
  readonly reviewPlan: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly owner: SecretOwner;
  /** Whose application its run would belong to. */
  readonly applicationOwnerId: string;
}

/** Plans the run of a document and chooses its agents, without creating anything. */
export async function dryRun(deps: Deps, attempted: Attempted) {
  const { db, agents, plugins, secretSources, findPrevious } = deps;
  const { document, environment, reviewPlan, diagnostics, owner } = attempted;
  const type = findPluginType(plugins.known, document)?.type;
  const resolved = resolveSpec(document, environment, type);
  const answered = plugins.checkNames(resolved.document);
  const outcome = await outcomeHere(plugins, resolved.document);
  const following = followingTargets(document, resolved.environment?.name, type);
  const { plan: first, rules } = prepareRun(resolved, reviewPlan, { offered: outcome?.tasks, following });
  const left = unmetBy(outcome, resolved.document, answered);
  const writtenLines = (pointers: readonly string[]) => writtenIn(attempted, resolved, pointers);
  const plan = await handOnRest(deps, {
    ...{ plan: first, rules, document: resolved.document, roles: {}, writtenLines },
    unmet: async () => left,
  });
  const { roles, judge } = await chooseAgents({ db, agents }, { plan, rules });
  const chosen = new Map(roles.map(({ role, agent_id }) => [role, agent_id]));
  const built = (await isBuiltByRule(db, plan, async (role) => chosen.get(role))) ? outcome : undefined;
  const hasBrowser = (await findBrowser()) !== undefined;
  const { applicationId, projectId, putAt } = await findPrevious(attempted.applicationOwnerId, document.id);
  const sources = await secretSources();
  const { totalHours, durationHours, parallelTasks, criticalPath } = summarisePlan(plan, rules.parallelTasks);
  const durations = await selectTaskDurations(db, document.outcome_type);
  const secrets = await secretsOf(sources, resolved.document, owner);
  const hasTypeChecker = await canCheckTypes(resolved.document, { isBuiltByRule: built !== undefined });
  const acceptance = foreseeVerdicts(resolved.document, { answered, hasBrowser, hasTypeChecker }).map(
    ({ pointer, title, canBeVerified, isJudged }) => ({
      pointer,
      title,
      can_be_verified: canBeVerified,
      asked_of: isJudged ? judge : null,
    }),
  );
  const obstacles = preflight({
    ...{ roles, secrets, acceptance, document: resolved.document },
    missing: await missingPrograms({ ...built?.scripts, ...resolved.document.scripts }),
    noBrowser: hasBrowser ? undefined : howToGetBrowser,
  });
  const byRule = built === undefined ? [] : left;
  const unmet = [
    ...byRule.map(handedTo(plan, resolved.document, chosen.get(restRole) ?? null)),
    ...unusedKeys(resolved.document, byRule),
    ...deps.unmetIntegrations(resolved.document),
    ...unusedSecretFields(sources, resolved.document).map(({ pointer, reason }) => ({
      pointer: `/secrets${pointer}`,
      reason,
    })),
    ...(await deps.unservedRequests(resolved.document)),
    ...otherEnvironments(document, resolved.environment?.name, following),
  ];
  return {
    ...planAsData(plan),
    summary: {
      total_hours: totalHours,
      duration_hours: durationHours,
      parallel_tasks: parallelTasks,
      critical_path: criticalPath,
    },
    estimate: estimateRun({ plan, parallelTasks, roles }, durations),
    environment: resolved.environment?.name ?? null,
    following: (rules.following ?? []).map(({ environment: name, needsApproval, approvers }) => ({
      environment: name,
      needs_approval: needsApproval,
      approvers: [...approvers],
    })),
    roles,
    approvals: [
      ...(rules.reviewPlan ? [{ gate: "plan", approvers: [] }] : []),
      ...(rules.approveDeployment ? [{ gate: "deployment", approvers: rules.approvers }] : []),
    ],
    secrets,
    acceptance,
    unmet: await withLines(writtenLines, unmet),
    preflight: await withLines(writtenLines, obstacles),
    application_id: applicationId,
    regenerates: projectId === null && putAt === null ? null : { project_id: projectId, put_at: putAt },
    diagnostics,
  };
}

function writtenIn({ content }: Attempted, { environment }: ResolvedSpec, pointers: readonly string[]) {
  return readWrittenLines({ content, pointers, environment: environment?.name ?? null });
}

/** Each with its line in the document. */
async function withLines<T extends { readonly pointer: string | null }>(
  writtenLines: (pointers: readonly string[]) => ReturnType<typeof readWrittenLines>,
  found: readonly T[],
) {
  const lines = await writtenLines(found.flatMap(({ pointer }) => pointer ?? []));
  return found.map((one) => ({ ...one, line: lines.get(one.pointer ?? "")?.line ?? null }));
}

/** Environments that want every result by themselves, and do not get this one: the run was asked to go elsewhere. */
function otherEnvironments(
  { environments = {} }: SpecDocument,
  target: string | undefined,
  following: readonly { readonly environment: string }[],
): Unmet[] {
  const reached = new Set(following.map(({ environment }) => environment));
  const others = Object.entries(environments).filter(
    ([name, block]) => block.auto_deploy === true && name !== target && !reached.has(name),
  );
  return others.map(([name]) => ({
    pointer: `/environments/${name.replaceAll("~", "~0").replaceAll("/", "~1")}/auto_deploy`,
    reason: `This run goes to ${target === undefined ? "the top level" : `'${target}'`}. Take it to '${name}' with 'slipway projects deploy'.`,
  }));
}

/** Who does what the built-in agent does not: the task that serves it, and its agent. */
function handedTo(plan: PlanContent["plan"], document: CompleteSpec, agentId: string | null) {
  const taskOf = finishedPointers(plan);
  return ({ pointer, reason }: Unmet): Unmet & { task_id?: string; agent_id?: string } => {
    const task = taskOf.get(writtenPointer(document, pointer));
    return { pointer, reason, ...(task !== undefined && agentId !== null && { task_id: task, agent_id: agentId }) };
  };
}

async function outcomeHere(plugins: Pick<Plugins, "plan">, document: CompleteSpec) {
  try {
    return await outcomeOf(plugins, document);
  } catch (error) {
    if (error instanceof PluginFailure) throw new Refusal("plugin_failed", error.message, { cause: error });
    throw error;
  }
}

interface ChosenAgent {
  readonly role: string;
  readonly capabilities: readonly string[];
  readonly agent_id: string | null;
  readonly availability: "free" | "busy" | "unknown";
}

/** The agents that would build: those of the plan and of the work. */
function buildersOf({ phases, tasks }: PlanContent["plan"], chosen: readonly ChosenAgent[]): readonly string[] {
  const building = new Set(phases.filter(({ kind }) => kind === "planning" || kind === "work").map(({ name }) => name));
  const roles = new Set(tasks.map(({ phase, role }) => (building.has(phase) || role === restRole ? role : "")));
  return chosen.flatMap(({ role, agent_id: id }) => (roles.has(role) && id !== null ? [id] : []));
}

async function chooseAgents({ db, agents }: Pick<Deps, "db" | "agents">, { plan, rules }: PlanContent) {
  const roles = [...new Set(plan.tasks.map(({ role }) => role))];
  const requirement = (role: string) => rules.roles[role] ?? { capabilities: [], preferred: [] };
  const asked: ChosenAgent[] = [];
  let judge: string | null = null;
  for (const role of roles) {
    const judges = rules.needsJudgement === true && role === defaultRoles.validation;
    const builders = judges && { builders: buildersOf(plan, asked) };
    const wanted = { ...requirement(role), role, besides: [], ...builders };
    // One role at a time: roles that are chosen together would compete for slots, but their tasks run one after another.
    const choose = async (mayBeBusy: boolean) => (await agents.choose(db, [{ ...wanted, mayBeBusy }]))[0]!;
    const free = await choose(false);
    const choice = free.is === "busy" ? await choose(true) : free;
    if (choice.is === "found" && choice.isJudge === true) judge = choice.agentId;
    asked.push({
      role,
      capabilities: wanted.capabilities,
      agent_id: choice.is === "found" ? choice.agentId : null,
      availability: free.is === "found" ? "free" : free.is,
    });
  }
  // A document may give the reviewer work of its own.
  return { roles: asked, judge: judge !== null && buildersOf(plan, asked).includes(judge) ? null : judge };
}

/** Which of the secrets exist, and what to do about the others. */
async function secretsOf(sources: SecretSources, document: CompleteSpec, owner: SecretOwner) {
  const secrets = await foreseeSecrets(sources, document, owner);
  return secrets.map(({ name, provider, isRequired, isFound, reason, remedy }) => ({
    name,
    provider,
    is_required: isRequired,
    is_found: isFound,
    reason: reason ?? null,
    remedy: remedy ?? null,
  }));
}
