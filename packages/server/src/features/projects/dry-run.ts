import { findOutcomeType, type OutcomePlan, type Unmet } from "@slipway/blueprints";
import {
  acceptanceLines,
  type CompleteSpec,
  type Diagnostic,
  findPluginType,
  planAsData,
  resolveSpec,
  type SpecDocument,
  secretProvider,
  summarisePlan,
} from "@slipway/spec";
import type { AgentDirectory, PlanContent } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { PluginFailure, type Plugins } from "../../platform/plugins/index.ts";
import { hasSecret, type SecretSources } from "../../platform/secrets/index.ts";
import { prepareRun } from "./prepare-run.ts";

/** The application of an owner's documents with this id, and what its next run begins from. */
export type FindPrevious = (
  ownerId: string,
  documentId: string,
) => Promise<{ applicationId: string | null; projectId: string | null; putAt: string | null }>;

interface Deps {
  readonly db: Database;
  readonly agents: AgentDirectory;
  /** Where secrets may be taken from. */
  readonly secretSources: () => Promise<SecretSources>;
  readonly plugins: Pick<Plugins, "known" | "plan" | "checkNames">;
  readonly findPrevious: FindPrevious;
  /** What of its integrations cannot be honoured. */
  readonly unmetIntegrations: (document: CompleteSpec) => readonly Unmet[];
}

interface Tried {
  readonly document: SpecDocument;
  readonly environment: string | undefined;
  readonly reviewPlan: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly ownerId: string;
}

/** Works out what would be done with a document, and by whom; creates nothing. */
export async function dryRun(parts: Deps, tried: Tried) {
  const { db, agents, plugins, secretSources, findPrevious } = parts;
  const { document, environment, reviewPlan, diagnostics, ownerId } = tried;
  const resolved = resolveSpec(document, environment, findPluginType(plugins.known, document)?.type);
  const answered = plugins.checkNames(resolved.document);
  const outcome = await outcomeOf(plugins, resolved.document);
  const { plan, rules } = prepareRun(resolved, reviewPlan, outcome?.tasks);
  const hasTests = (resolved.document.scripts?.test ?? outcome?.scripts.test) !== undefined;
  const { applicationId, projectId, putAt } = await findPrevious(ownerId, document.id);
  const { totalHours, durationHours, parallelTasks, criticalPath } = summarisePlan(plan, rules.parallelTasks);
  return {
    ...planAsData(plan),
    summary: {
      total_hours: totalHours,
      duration_hours: durationHours,
      parallel_tasks: parallelTasks,
      critical_path: criticalPath,
    },
    environment: resolved.environment?.name ?? null,
    roles: await whoWould({ db, agents }, { plan, rules }),
    approvals: [
      ...(rules.reviewPlan ? [{ gate: "plan", approvers: [] }] : []),
      ...(rules.approveDeployment ? [{ gate: "deployment", approvers: rules.approvers }] : []),
    ],
    secrets: await secretsOf(await secretSources(), resolved.document),
    acceptance: acceptanceLines(resolved.document).map(({ pointer, check }) => ({
      pointer,
      title: check.id,
      can_be_verified:
        (check.kind === "tests" && hasTests) || (check.kind === "named" && answered.includes(check.name)),
    })),
    unmet: [...unmetBy(outcome, resolved.document, answered), ...parts.unmetIntegrations(resolved.document)],
    application_id: applicationId,
    regenerates: projectId === null && putAt === null ? null : { project_id: projectId, put_at: putAt },
    diagnostics,
  };
}

/** What would come of it, were the built-in agent to build this; nothing if it cannot. */
async function outcomeOf(plugins: Pick<Plugins, "plan">, document: CompleteSpec): Promise<OutcomePlan | undefined> {
  const type = findOutcomeType(document.outcome_type);
  return type === undefined ? planOfPlugin(plugins, document) : type.plan(document);
}

/** What it could not honour, but for what a plugin answers for. */
function unmetBy(outcome: OutcomePlan | undefined, document: CompleteSpec, answered: readonly string[]) {
  const lines = acceptanceLines(document).filter(
    ({ check }) => check.kind === "named" && answered.includes(check.name),
  );
  const pointers = lines.map(({ pointer }) => pointer);
  const unmet = (outcome?.unmet ?? []).filter(({ pointer }) => !pointers.includes(pointer));
  return unmet.map(({ pointer, reason }) => ({ pointer, reason }));
}

async function planOfPlugin(plugins: Pick<Plugins, "plan">, document: CompleteSpec) {
  try {
    return await plugins.plan(document);
  } catch (error) {
    if (error instanceof PluginFailure) throw new Refusal("plugin_failed", error.message, { cause: error });
    throw error;
  }
}

async function whoWould({ db, agents }: Pick<Deps, "db" | "agents">, { plan, rules }: PlanContent) {
  const roles = [...new Set(plan.tasks.map(({ role }) => role))];
  const requirement = (role: string) => rules.roles[role] ?? { capabilities: [], preferred: [] };
  const asked = [];
  for (const role of roles) {
    const wanted = { ...requirement(role), besides: [] };
    // By itself: those who are asked for together take each other's room, but the roles have their tasks one after another.
    const choose = async (mayBeBusy: boolean) => (await agents.choose(db, [{ ...wanted, mayBeBusy }]))[0]!;
    const free = await choose(false);
    const choice = free.is === "busy" ? await choose(true) : free;
    asked.push({
      role,
      capabilities: wanted.capabilities,
      agent_id: choice.is === "found" ? choice.agentId : null,
      availability: free.is === "found" ? "free" : free.is,
    });
  }
  return asked;
}

/** Which of the secrets are there. */
async function secretsOf(sources: SecretSources, { secrets }: CompleteSpec) {
  if (secrets === undefined) return [];
  const provider = secretProvider(secrets.provider).name;
  const found = secrets.required.map(async (name) => ({
    name,
    provider,
    is_found: await hasSecret(sources, secrets, name),
  }));
  return Promise.all(found);
}
