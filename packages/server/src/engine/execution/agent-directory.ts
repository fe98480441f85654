import { chooseAgent, type KnownAgent, selectKnownAgents } from "../../agents/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { agentQueue, countJobs } from "../jobs/index.ts";
import type { AgentChoice, AgentDirectory, AgentRequest } from "../lifecycle/index.ts";

/** What is known of the agents changes seldom; how busy they are is asked each time. */
const rememberMs = 500;

/** Finds agents for roles: reads who there is, and counts what lies in their queues. */
export class Directory implements AgentDirectory {
  #known: readonly KnownAgent[] = [];
  #knownAtMs = -Infinity;

  /** Somebody came or went. */
  forget(): void {
    this.#knownAtMs = -Infinity;
  }

  async choose(db: Database | Transaction, requests: readonly AgentRequest[]): Promise<AgentChoice[]> {
    if (performance.now() - this.#knownAtMs > rememberMs) {
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
