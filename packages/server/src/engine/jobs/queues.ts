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

/** Roles that wait until an agent with these capabilities has a free slot. */
export function capabilityQueue(capabilities: readonly string[]): string {
  return capabilityPrefix + JSON.stringify(capabilities.toSorted());
}

export const capabilityPrefix = "fit:";

/** The capabilities that whoever serves the queue must have. */
export function capabilitiesOf(queue: string): readonly string[] {
  return JSON.parse(queue.slice(capabilityPrefix.length)) as string[];
}
