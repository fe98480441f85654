import { type Client, listAll } from "@slipway/client";

/** The names of agents. Events and tasks contain only ids; an unknown id loads the list. */
export class AgentNames {
  readonly #client: Client;
  readonly #names = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  readonly nameOf = (agentId: string): string => this.#names.get(agentId) ?? agentId;

  async load(agentId: string | null | undefined, signal: AbortSignal): Promise<void> {
    if (!agentId || this.#names.has(agentId)) return;
    const agents = listAll(
      (query) => this.#client.call("listAgents", { query, signal }),
      (page) => page.agents,
    );
    try {
      for await (const { agent_id, name } of agents) this.#names.set(agent_id, name);
    } catch {
      // The id is good enough: a key may see projects, but no agents.
      signal.throwIfAborted();
    }
    // Load only once, even if it failed.
    if (!this.#names.has(agentId)) this.#names.set(agentId, agentId);
  }
}
