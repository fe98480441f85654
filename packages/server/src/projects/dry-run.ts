import { findOutcomeType } from "@slipway/blueprints";
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
import type { Database } from "../database/index.ts";
import type { AgentDirectory, PlanContent } from "../lifecycle/index.ts";
import { PluginFailure, type Plugins } from "../plugins/index.ts";
import { Refusal } from "../refusal.ts";
import { type EnvironmentSecrets, hasSecret } from "../secrets/index.ts";
import { prepareRun } from "./prepare-run.ts";

interface Parts {
  readonly db: Database;
  readonly agents: AgentDirectory;
  /** Where secrets may be taken from. */
  readonly environmentSecrets: () => Promise<EnvironmentSecrets>;
  readonly plugins: Pick<Plugins, "known" | "plan">;
}

interface Tried {
  readonly document: SpecDocument;
  readonly environment: string | undefined;
  readonly reviewPlan: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Works out what would be done with a document, and by whom; creates nothing. */
export async function dryRun({ db, agents, plugins, environmentSecrets }: Parts, tried: Tried) {
  const { document, environment, reviewPlan, diagnostics } = tried;
  const resolved = resolveSpec(document, environment, findPluginType(plugins.known, document)?.type);
  const outcome = await outcomeOf(plugins, resolved.document);
  const { plan, rules } = prepareRun(resolved, reviewPlan, outcome?.tasks);
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
    secrets: secretsOf(await environmentSecrets(), resolved.document),
    acceptance: acceptanceLines(resolved.document).map(({ pointer, check }) => ({
      pointer,
      title: check.id,
      can_be_verified: check.kind === "tests" && resolved.document.scripts?.test !== undefined,
    })),
    unmet: (outcome?.unmet ?? []).map(({ pointer, reason }) => ({ pointer, reason })),
    diagnostics,
  };
}

/** What the built-in agent would do and what it could not honour, were it to build this. */
async function outcomeOf(plugins: Pick<Plugins, "plan">, document: CompleteSpec) {
  const type = findOutcomeType(document.outcome_type);
  return type === undefined ? planOfPlugin(plugins, document) : type.plan(document);
}

async function planOfPlugin(plugins: Pick<Plugins, "plan">, document: CompleteSpec) {
  try {
    return await plugins.plan(document);
  } catch (error) {
    if (error instanceof PluginFailure) throw new Refusal("plugin_failed", error.message, { cause: error });
    throw error;
  }
}

async function whoWould({ db, agents }: Pick<Parts, "db" | "agents">, { plan, rules }: PlanContent) {
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
function secretsOf(environment: EnvironmentSecrets, { secrets }: CompleteSpec) {
  if (secrets === undefined) return [];
  const provider = secretProvider(secrets.provider).name;
  return secrets.required.map((name) => ({ name, provider, is_found: hasSecret(environment, secrets, name) }));
}
