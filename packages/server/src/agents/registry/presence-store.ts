import { type Selectable, sql } from "kysely";
import type { Database, Schema } from "../../platform/database/index.ts";
import { presentForMs } from "./agent-store.ts";

export type RegisteredRow = Pick<
  Selectable<Schema["agents"]>,
  "id" | "name" | "kind" | "capabilities" | "url" | "slots"
>;

/** The node under which a worker's presence is saved: no node serves a worker, it reports itself. */
const workerNode = "worker";

/** Adds an agent of the config file, or updates the one of that name, also a registered one; returns its id. */
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

/** An agent as a node's probe found it. */
export interface Presence {
  readonly id: string;
  readonly slots: number;
  /** Why the node cannot use it. */
  readonly problem: string | null;
  readonly version: string | null;
}

/** Saves how the node finds these agents, and deletes what nodes said that have been silent for a day. */
export async function savePresence(db: Database, node: string, agents: readonly Presence[]): Promise<void> {
  await sql`
    insert into agent_presence (agent_id, node, slots, problem, version)
    select agents.id, ${node}, here.slots, here.problem, here.version
    from json_to_recordset(${JSON.stringify(agents)}) as here (id text, slots integer, problem text, version text)
    join agents on agents.id = here.id
    -- Leaves out an agent that is being deleted.
    for key share of agents
    on conflict (agent_id, node) do update set slots = excluded.slots, problem = excluded.problem,
      version = excluded.version, seen_at = now()`.execute(db);
  await sql`delete from agent_presence where seen_at < now() - interval '1 day'`.execute(db);
}

/** The node has stopped: other nodes may serve its agents at once. */
export async function forgetNode(db: Database, node: string): Promise<void> {
  await sql`update agent_presence set slots = 0 where node = ${node}`.execute(db);
  await sql`update agents set claimed_by = null, lease_expires_at = null where claimed_by = ${node}`.execute(db);
}

/** Frees every registered agent at once; only for a caller that knows it is the only node. */
export async function freeServed(db: Database): Promise<void> {
  await sql`update agents set claimed_by = null, lease_expires_at = null where claimed_by is not null`.execute(db);
}

/** Claims registered agents that no node serves, renews the claim on the node's own, and returns all of them. */
export async function serveRegistered(db: Database, node: string): Promise<RegisteredRow[]> {
  const { rows } = await sql<RegisteredRow>`
    update agents set claimed_by = ${node}, lease_expires_at = now() + ${presentForMs} * interval '1 ms'
    where registered_by is not null and (claimed_by = ${node} or lease_expires_at is null or lease_expires_at < now())
    returning id, name, kind, capabilities, url, slots`.execute(db);
  return rows;
}

/** Says that a worker of the agent is present; returns whether none was before. */
export async function noteWorker(db: Database, agentId: string): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    with before as (
      select seen_at from agent_presence where agent_id = ${agentId} and node = ${workerNode}
    )
    insert into agent_presence (agent_id, node, slots)
    select id, ${workerNode}, coalesce(slots, 1) from agents where id = ${agentId}
    on conflict (agent_id, node) do update set slots = excluded.slots, seen_at = now()
    returning coalesce((select seen_at < now() - ${presentForMs} * interval '1 ms' from before), true) as "isNew"`.execute(
    db,
  );
  return rows[0]?.isNew ?? false;
}

/** The ids of workers that were heard from lately. */
export async function selectPresentWorkers(db: Database): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select agent_id as id from agent_presence
    where node = ${workerNode} and seen_at > now() - ${presentForMs} * interval '1 ms'`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The ids of draining agents. */
export async function selectDraining(db: Database): Promise<Set<string>> {
  const rows = await db.selectFrom("agents").select("id").where("is_draining", "=", true).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Ends draining; returns the ids of the agents that were draining. */
export async function endDraining(db: Database, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update agents set is_draining = false
    where id = any(${ids}::text[]) and is_draining
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}
