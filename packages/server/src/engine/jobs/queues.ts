import type { RoleNeeds } from "../../agents/index.ts";

/** Begins runs, and notices deadlines. */
export const engineQueue = "engine";
/** Steps that need no agent. */
export const stepsQueue = "steps";

/** Steps that only nodes of one data folder can do: they need its files. */
export function hostQueue(host: string): string {
  return `host:${host}`;
}

/** Tasks for one agent. */
export function agentQueue(agentId: string): string {
  return agentPrefix + agentId;
}

export const agentPrefix = "agent:";

/** Roles that wait until an agent that offers them has a free slot. Those that take the same capabilities wait together. */
export function offerQueue({ role, capabilities }: RoleNeeds): string {
  return offerPrefix + JSON.stringify(capabilities.length > 0 ? capabilities.toSorted() : role);
}

export const offerPrefix = "fit:";

/** What whoever serves the queue must offer. */
export function needsOf(queue: string): RoleNeeds {
  const needs = JSON.parse(queue.slice(offerPrefix.length)) as string | string[];
  return typeof needs === "string" ? { role: needs, capabilities: [] } : { role: "", capabilities: needs };
}
