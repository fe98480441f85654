import { chooseAgent, type KnownAgent, selectKnownAgents } from "../../agents/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { agentQueue, countJobs } from "../jobs/index.ts";
import type { AgentChoice, AgentDirectory, AgentRequest } from "../lifecycle/index.ts";

/** Agents change seldom, so they are read again only after this time; how busy they are is read each time. */
const cacheMs = 500;

/** Finds agents for roles: reads which there are, and counts the jobs in their queues. */
export class Directory implements AgentDirectory {
  readonly #identityOf: (agentId: string) => string | undefined;
  #known: readonly KnownAgent[] = [];
  #knownAtMs = -Infinity;

  /** Agents of the same identity are one program or model under several names. */
  constructor(identityOf: (agentId: string) => string | undefined = () => undefined) {
    this.#identityOf = identityOf;
  }

  /** Reads the agents anew at the next choice: some were added, removed or changed. */
  forget(): void {
    this.#knownAtMs = -Infinity;
  }

  async choose(db: Database | Transaction, requests: readonly AgentRequest[]): Promise<AgentChoice[]> {
    if (performance.now() - this.#knownAtMs > cacheMs) {
      this.#known = await selectKnownAgents(db);
      this.#knownAtMs = performance.now();
    }
    const queued = await countJobs(
      db,
      this.#known.map(({ id }) => agentQueue(id)),
    );
    const free = new Map(this.#known.map(({ id, slots }) => [id, slots - (queued.get(agentQueue(id)) ?? 0)]));
    return requests.map((request) => {
      const candidates = this.#known.map((agent) => ({ ...agent, freeSlots: free.get(agent.id)! }));
      const { builders } = request;
      const wanted = builders === undefined ? request : { ...request, builders: this.#withTwins(builders) };
      const choice = chooseAgent(candidates, wanted);
      // Whoever fills a role will soon have a task of it.
      if (choice.is === "found") free.set(choice.agentId, free.get(choice.agentId)! - 1);
      return choice;
    });
  }

  #withTwins(ids: readonly string[]): readonly string[] {
    const all = this.#known.map(({ id }) => id);
    return [...ids, ...all.filter((id) => isTwin(id, ids, this.#identityOf))];
  }
}

/** Whether an agent is the same program or model as one of the others, as far as this node knows. */
export function isTwin(
  agentId: string,
  others: readonly string[],
  identityOf: (agentId: string) => string | undefined,
): boolean {
  const identity = identityOf(agentId);
  return others.some((other) => other === agentId || (identity !== undefined && identityOf(other) === identity));
}
