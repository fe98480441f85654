import type { OutcomePlan, Unmet } from "@slipway/blueprints";
import { acceptanceLines, type CompleteSpec, handOn, restRole, type WrittenLines } from "@slipway/spec";
import { everyRoleKind, findAgent } from "../../agents/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { AgentDirectory, Plan, Rules } from "../lifecycle/index.ts";

export interface FinisherDeps {
  readonly db: Database;
  readonly agents: AgentDirectory;
}

interface Planned {
  readonly plan: Plan;
  readonly rules: Pick<Rules, "roles">;
  readonly document: CompleteSpec;
  /** The agents that fill roles already. */
  readonly roles: Readonly<Record<string, { readonly agent: string }>>;
  readonly unmet: () => Promise<readonly Unmet[]>;
  /** What the document's text says at these JSON Pointers. */
  readonly writtenLines: (pointers: readonly string[]) => Promise<ReadonlyMap<string, WrittenLines>>;
}

/** Adds to a plan what an agent that builds by rule will leave, as tasks for an agent that can do it, if there is one. */
export async function handOnRest(deps: FinisherDeps, planned: Planned): Promise<Plan> {
  const { plan, rules, document, roles } = planned;
  const agentOf = async (role: string) => roles[role]?.agent ?? (await findFor(deps, rules, role));
  // First, for most installations have none: every run makes a plan.
  if ((await agentOf(restRole)) === undefined) return plan;
  if (!(await isBuiltByRule(deps.db, plan, agentOf))) return plan;
  const unmet = await planned.unmet();
  const written = await planned.writtenLines(unmet.map(({ pointer }) => pointer));
  return handOn(
    plan,
    document,
    unmet.map(({ pointer, reason }) => ({ pointer, reason, ...written.get(pointer) })),
  );
}

/** The agent that would finish what was built by rule; undefined if there is none. */
export async function findFinisher(deps: FinisherDeps, rules: Pick<Rules, "roles">): Promise<string | undefined> {
  return findFor(deps, rules, restRole);
}

/** Which lines of the document other agents finish, each with the task. */
export function finishedPointers({ tasks }: Plan): ReadonlyMap<string, string> {
  const finishing = tasks.filter(({ role }) => role === restRole);
  return new Map(finishing.flatMap(({ id, serves }) => serves.map((pointer) => [pointer, id])));
}

async function findFor({ db, agents }: FinisherDeps, rules: Pick<Rules, "roles">, role: string) {
  const requirement = rules.roles[role] ?? { capabilities: [], preferred: [] };
  // What rules build does not wait for somebody who may never come to finish it.
  const mustBeOnline = role === restRole;
  const [choice] = await agents.choose(db, [{ ...requirement, role, besides: [], mayBeBusy: true, mustBeOnline }]);
  return choice?.is === "found" ? choice.agentId : undefined;
}

/** Whether an agent that follows rules does any of the work; what another one leaves out cannot be told beforehand. */
export async function isBuiltByRule(
  db: Database,
  plan: Plan,
  agentOf: (role: string) => Promise<string | null | undefined>,
): Promise<boolean> {
  for (const role of rolesOfWork(plan)) {
    const id = await agentOf(role);
    if (id != null && (await findAgent(db, id))?.kind === everyRoleKind) return true;
  }
  return false;
}

/** The roles that do the work itself, without what is left of it for others to finish. */
export function rolesOfWork({ phases, tasks }: Plan): ReadonlySet<string> {
  const work = new Set(phases.filter(({ kind }) => kind === "work").map(({ name }) => name));
  return new Set(tasks.filter(({ phase, role }) => work.has(phase) && role !== restRole).map(({ role }) => role));
}

/** The requests that the outcome does not meet, without those that a plugin checks. */
export function unmetBy(outcome: OutcomePlan | undefined, document: CompleteSpec, answered: readonly string[]) {
  const lines = acceptanceLines(document).filter(
    ({ check }) => check.kind === "named" && answered.includes(check.name),
  );
  const pointers = new Set(lines.map(({ pointer }) => pointer));
  const unmet = (outcome?.unmet ?? []).filter(({ pointer }) => !pointers.has(pointer));
  return unmet.map(({ pointer, reason }) => ({ pointer, reason }));
}
