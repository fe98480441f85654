import { type Selectable, sql } from "kysely";
import type { Database, Schema } from "../../platform/database/index.ts";
import { presentForMs } from "./agent-store.ts";

export type RegisteredRow = Pick<
  Selectable<Schema["agents"]>,
  "id" | "name" | "kind" | "capabilities" | "url" | "slots"
>;

/** How the presence of a worker is called, which no node serves: it says itself that it is there. */
export const workerNode = "worker";

/** Adds the agent, or brings what is known of one by that name up to date; gives its id. The config file has the last word. */
export async function upsertAgent(
  db: Database,
  agent: { id: string; kind: string; name: string; capabilities: readonly string[] },
): Promise<string> {
  const capabilities = [...agent.capabilities];
  const declared = { registered_by: null, url: null, slots: null, claimed_by: null, lease_expires_at: null };
  const row = await db
    .insertInto("agents")
    .values({ ...agent, capabilities })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ kind: agent.kind, capabilities, ...declared }))
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** An agent as a node finds it. */
export interface Presence {
  readonly id: string;
  readonly slots: number;
  /** Why it cannot be used from there. */
  readonly problem: string | null;
  readonly version: string | null;
}

/** Says how the node finds these agents, and forgets nodes that have been silent for a day. */
export async function notePresence(db: Database, node: string, agents: readonly Presence[]): Promise<void> {
  await sql`
    insert into agent_presence (agent_id, node, slots, problem, version)
    select agents.id, ${node}, here.slots, here.problem, here.version
    from json_to_recordset(${JSON.stringify(agents)}) as here (id text, slots integer, problem text, version text)
    join agents on agents.id = here.id
    -- Who is just being deleted is left out.
    for key share of agents
    on conflict (agent_id, node) do update set slots = excluded.slots, problem = excluded.problem,
      version = excluded.version, seen_at = now()`.execute(db);
  await sql`delete from agent_presence where seen_at < now() - interval '1 day'`.execute(db);
}

/** The node is gone for good: others may serve what it served, at once. */
export async function forgetNode(db: Database, node: string): Promise<void> {
  await sql`update agent_presence set slots = 0 where node = ${node}`.execute(db);
  await sql`update agents set claimed_by = null, lease_expires_at = null where claimed_by = ${node}`.execute(db);
}

/** Lets registered agents be taken at once, where it is certain that no node lives that served them. */
export async function freeServed(db: Database): Promise<void> {
  await sql`update agents set claimed_by = null, lease_expires_at = null where claimed_by is not null`.execute(db);
}

/** Takes registered agents that nobody serves, and goes on with those that are the node's own; gives all of them. */
export async function serveRegistered(db: Database, node: string): Promise<RegisteredRow[]> {
  const { rows } = await sql<RegisteredRow>`
    update agents set claimed_by = ${node}, lease_expires_at = now() + ${presentForMs} * interval '1 ms'
    where registered_by is not null and (claimed_by = ${node} or lease_expires_at is null or lease_expires_at < now())
    returning id, name, kind, capabilities, url, slots`.execute(db);
  return rows;
}

/** Workers that have been heard of lately. */
export async function selectWorkersThere(db: Database): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select agent_id as id from agent_presence
    where node = ${workerNode} and seen_at > now() - ${presentForMs} * interval '1 ms'`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The agents that get no new tasks. */
export async function selectDraining(db: Database): Promise<Set<string>> {
  const rows = await db.selectFrom("agents").select("id").where("is_draining", "=", true).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Lets agents get tasks again; returns the ids of those that were draining. */
export async function endDraining(db: Database, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update agents set is_draining = false
    where id = any(${ids}::text[]) and is_draining
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}
