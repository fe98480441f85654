import { chooseAgent, type KnownAgent, selectKnownAgents } from "../../agents/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { agentQueue, countJobs } from "../jobs/index.ts";
import type { AgentChoice, AgentDirectory, AgentRequest } from "../lifecycle/index.ts";

/** Agents change seldom, so they are read again only after this time; how busy they are is read each time. */
const cacheMs = 500;

/** Finds agents for roles: reads which there are, and counts the jobs in their queues. */
export class Directory implements AgentDirectory {
  #known: readonly KnownAgent[] = [];
  #knownAtMs = -Infinity;

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
      const choice = chooseAgent(candidates, request);
      // Whoever fills a role will soon have a task of it.
      if (choice.is === "found") free.set(choice.agentId, free.get(choice.agentId)! - 1);
      return choice;
    });
  }
}
