import type { Database } from "../database/index.ts";
import { Refusal } from "../refusal.ts";
import { type AgentRow, findAgent } from "./store.ts";

export async function requireAgent(db: Database, id: string): Promise<AgentRow> {
  const agent = await findAgent(db, id);
  if (agent === undefined) throw noSuchAgent(id);
  return agent;
}

export function noSuchAgent(id: string): Refusal {
  return new Refusal("not_found", `There is no agent ${id}.`);
}
