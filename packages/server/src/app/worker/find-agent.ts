import { Agent } from "@slipway/contract";
import type { ServiceCalls } from "./service-calls.ts";
import { ServiceRefusal } from "./service-calls.ts";
import type { WorkerOptions } from "./worker-options.ts";

type NamedAgent = Pick<Agent, "agent_id" | "name" | "kind">;

interface AgentPage {
  readonly agents: readonly NamedAgent[];
  readonly next_cursor: string | null;
}

// Only what is needed here: a service of another version may tell more or less of its agents.
const { agent_id, name, kind } = Agent.properties;
const namedAgent = { type: "object", required: ["agent_id", "name", "kind"], properties: { agent_id, name, kind } };
const agentPage = {
  type: "object",
  required: ["agents", "next_cursor"],
  properties: { agents: { type: "array", items: namedAgent }, next_cursor: { type: ["string", "null"] } },
};

/** The id of the worker's agent; registers it if no agent has its name. */
export async function findAgent(
  service: ServiceCalls,
  { name, capabilities, slots }: Pick<WorkerOptions, "name" | "capabilities" | "slots">,
  signal: AbortSignal,
): Promise<string> {
  const known = await findByName(service, name, signal);
  if (known !== undefined) return known;
  const json = { name, kind: "worker", capabilities, slots };
  try {
    const registered = await service.ask<NamedAgent>(namedAgent, "/api/v1/agents", { method: "POST", json, signal });
    return registered.agent_id;
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || error.status !== 409) throw error;
    // Another worker of the same name has registered it meanwhile.
    const since = await findByName(service, name, signal);
    if (since === undefined) throw error;
    return since;
  }
}

/** Of a hundred agents each. */
const maxPages = 1_000;

async function findByName(service: ServiceCalls, name: string, signal: AbortSignal): Promise<string | undefined> {
  let pages = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    pages += 1;
    if (pages > maxPages) throw new ServiceRefusal(502, "The service lists agents without end.");
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await service.ask<AgentPage>(agentPage, `/api/v1/agents?limit=100${query}`, { signal });
    const found = page.agents.find((agent) => agent.name === name);
    if (found !== undefined && found.kind !== "worker")
      throw new ServiceRefusal(409, `An agent '${name}' of kind '${found.kind}' already exists. Choose another name.`);
    if (found !== undefined) return found.agent_id;
    cursor = page.next_cursor;
  }
  return undefined;
}
