import { type AgentRow, findAgent } from "../../agents/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";

export async function requireAgent(db: Database, id: string): Promise<AgentRow> {
  const agent = await findAgent(db, id);
  if (agent === undefined) throw noSuchAgent(id);
  return agent;
}

export function noSuchAgent(id: string): Refusal {
  return new Refusal("not_found", `There is no agent ${id}.`);
}
