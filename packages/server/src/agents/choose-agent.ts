import { defaultRoles } from "@slipway/spec";

/** An agent and its free slots. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly capabilities: readonly string[];
  /** Whether it fills any role; other agents fill those that they list among their capabilities. */
  readonly offersEveryRole: boolean;
  readonly freeSlots: number;
  /** How many it has at all; zero: it is offline. */
  readonly slots: number;
}

/** What a role takes. */
export interface RoleNeeds {
  readonly role: string;
  /** The agent must have all of these. If there are any, they are what the role takes; else the agent must offer it. */
  readonly capabilities: readonly string[];
}

export interface Wanted extends RoleNeeds {
  /** Capabilities, names or ids of agents; the agent that matches most of them wins. */
  readonly preferred: readonly string[];
  /** Ids of agents that are out of the question. */
  readonly besides: readonly string[];
  readonly mayBeBusy: boolean;
  /** Whether one that is offline is out of the question; else it is waited for. */
  readonly mustBeOnline?: boolean;
  /** Where judgement is wanted: who built, and should not judge. If anybody else can, even a busy one is chosen. */
  readonly builders?: readonly string[];
}

export type Choice =
  /** A judge: judgement is wanted, and this one has it and built nothing. */
  | { readonly is: "found"; readonly agentId: string; readonly isJudge?: boolean }
  | { readonly is: "busy" }
  | { readonly is: "unknown" };

/**
 * Decides who gets a task: of the free agents the best match, then the one with most free slots, then the oldest. Rules come
 * first: of equal matches one that builds by rule implements, even a busy one, because that takes no time and no money.
 */
export function chooseAgent(candidates: readonly Candidate[], wanted: Wanted): Choice {
  const fitting = candidates.filter(
    (agent) =>
      !wanted.besides.includes(agent.id) && offers(agent, wanted) && !(wanted.mustBeOnline && agent.slots === 0),
  );
  if (fitting.length === 0) return { is: "unknown" };
  const free = wanted.mayBeBusy ? fitting : fitting.filter(({ freeSlots }) => freeSlots > 0);
  const judges = fitting.filter((agent) => mayJudge(agent, wanted));
  const eligible = judges.length > 0 ? judges : byRuleFirst(fitting, free, wanted);
  if (eligible.length === 0) return { is: "busy" };
  const [best] = eligible.toSorted(
    (a, b) => matches(b, wanted) - matches(a, wanted) || b.freeSlots - a.freeSlots || (a.id < b.id ? -1 : 1),
  );
  return { is: "found", agentId: best!.id, ...(judges.length > 0 && { isJudge: true }) };
}

function byRuleFirst(fitting: readonly Candidate[], free: readonly Candidate[], wanted: Wanted): readonly Candidate[] {
  const hasChoice = wanted.role === defaultRoles.work && fitting.some(({ offersEveryRole }) => !offersEveryRole);
  if (!hasChoice) return free;
  const most = Math.max(0, ...free.map((agent) => matches(agent, wanted)));
  const builders = fitting.filter((one) => one.offersEveryRole && one.slots > 0 && matches(one, wanted) >= most);
  return builders.length > 0 ? builders : free;
}

/** An agent that fills every role builds by rule, and has no judgement. */
function mayJudge({ id, offersEveryRole, slots }: Candidate, { builders }: Wanted): boolean {
  return builders !== undefined && !builders.includes(id) && !offersEveryRole && slots > 0;
}

/** Whether an agent is one for a role. */
export function offers(
  { capabilities, offersEveryRole }: Pick<Candidate, "capabilities" | "offersEveryRole">,
  wanted: RoleNeeds,
): boolean {
  if (wanted.capabilities.length > 0) return hasAll(capabilities, wanted.capabilities);
  return offersEveryRole || capabilities.includes(wanted.role);
}

/** What is told to be missing where nobody offers a role. */
export function lackingOf({ role, capabilities }: RoleNeeds): readonly string[] {
  return capabilities.length > 0 ? capabilities : [role];
}

export function hasAll(capabilities: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((capability) => capabilities.includes(capability));
}

function matches({ id, name, capabilities }: Candidate, { preferred }: Wanted): number {
  return preferred.filter((wish) => wish === id || wish === name || capabilities.includes(wish)).length;
}
