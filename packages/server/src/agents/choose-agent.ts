/** An agent, and how much room it has. */
export interface Candidate {
  readonly id: string;
  readonly capabilities: readonly string[];
  readonly freeSlots: number;
}

export interface Wanted {
  /** It must have all of these. */
  readonly capabilities: readonly string[];
  /** The more of these the better: capabilities, or its very id. */
  readonly preferred: readonly string[];
  readonly besides: readonly string[];
  readonly mayBeBusy: boolean;
}

export type Choice =
  | { readonly is: "found"; readonly agentId: string }
  | { readonly is: "busy" }
  | { readonly is: "unknown" };

/** The best of those that are free: who has most of what is preferred, then who has most room, then the oldest. */
export function chooseAgent(candidates: readonly Candidate[], wanted: Wanted): Choice {
  const fitting = candidates.filter(
    (agent) => !wanted.besides.includes(agent.id) && hasAll(agent.capabilities, wanted.capabilities),
  );
  if (fitting.length === 0) return { is: "unknown" };
  const free = wanted.mayBeBusy ? fitting : fitting.filter(({ freeSlots }) => freeSlots > 0);
  if (free.length === 0) return { is: "busy" };
  const [best] = free.toSorted(
    (a, b) => liking(b, wanted) - liking(a, wanted) || b.freeSlots - a.freeSlots || (a.id < b.id ? -1 : 1),
  );
  return { is: "found", agentId: best!.id };
}

export function hasAll(capabilities: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((capability) => capabilities.includes(capability));
}

function liking({ id, capabilities }: Candidate, { preferred }: Wanted): number {
  return preferred.filter((wish) => wish === id || capabilities.includes(wish)).length;
}
