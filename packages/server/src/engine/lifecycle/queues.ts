/** Begins runs, and tells them that time is up. */
export const engineQueue = "engine";
/** Steps that need no agent. */
export const stepsQueue = "steps";

/** Tasks that an agent is to do. */
export function agentQueue(agentId: string): string {
  return agentPrefix + agentId;
}

export const agentPrefix = "agent:";

/** Roles that wait for an agent with these capabilities to be free. */
export function fittingQueue(capabilities: readonly string[]): string {
  return fittingPrefix + JSON.stringify(capabilities.toSorted());
}

export const fittingPrefix = "fit:";

/** What is asked of who serves the queue. */
export function capabilitiesOf(queue: string): readonly string[] {
  return JSON.parse(queue.slice(fittingPrefix.length)) as string[];
}
