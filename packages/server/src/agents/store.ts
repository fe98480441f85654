import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../database/index.ts";
import type { PageRequest } from "../http/index.ts";
import type { AgentActivity } from "./activity.ts";

export type AgentRow = Selectable<Schema["agents"]>;

/** An agent, and how much it can do at a time where it is at hand. */
export interface KnownAgent {
  readonly id: string;
  readonly capabilities: readonly string[];
  /** Of all nodes that were heard of lately; none: it is offline. */
  readonly slots: number;
}

/** Who was not heard of for so long is no longer counted on. */
const presentForMs = 15_000;
/** Who was not heard of for so long is as good as unknown. */
const knownForMs = 600_000;

/** Adds the agent, or brings what is known of one by that name up to date; gives its id. */
export async function upsertAgent(
  db: Database,
  agent: { id: string; kind: string; name: string; capabilities: readonly string[] },
): Promise<string> {
  const capabilities = [...agent.capabilities];
  const row = await db
    .insertInto("agents")
    .values({ ...agent, capabilities })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ kind: agent.kind, capabilities }))
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Says that the node is there for these agents, and forgets nodes that have been silent for a day. */
export async function noteAgentsHere(
  db: Database,
  node: string,
  agents: readonly { id: string; slots: number }[],
): Promise<void> {
  await sql`
    insert into agent_presence (agent_id, node, slots)
    select id, ${node}, slots
    from unnest(${agents.map(({ id }) => id)}::text[], ${agents.map(({ slots }) => slots)}::integer[]) as here (id, slots)
    where exists (select from agents where agents.id = here.id)
    on conflict (agent_id, node) do update set slots = excluded.slots, seen_at = now()`.execute(db);
  await sql`delete from agent_presence where seen_at < now() - interval '1 day'`.execute(db);
}

/** The node is gone for good. */
export async function forgetNode(db: Database, node: string): Promise<void> {
  await sql`update agent_presence set slots = 0 where node = ${node}`.execute(db);
}

/** All agents that have been there within the last ten minutes. */
export async function selectKnownAgents(db: Database | Transaction): Promise<KnownAgent[]> {
  const { rows } = await sql<KnownAgent>`
    select agents.id, agents.capabilities,
      coalesce(sum(slots) filter (where seen_at > now() - ${presentForMs} * interval '1 ms'), 0)::integer as slots
    from agents join agent_presence on agent_presence.agent_id = agents.id
    where seen_at > now() - ${knownForMs} * interval '1 ms'
    group by agents.id order by agents.id`.execute(db);
  return rows;
}

export async function findAgent(db: Database, id: string): Promise<AgentRow | undefined> {
  return db.selectFrom("agents").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Why the latest attempt at a task failed, if it did. */
export async function findLastError(db: Database, projectId: string, taskId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("attempts")
    .select("error")
    .where("project_id", "=", projectId)
    .where("task_id", "=", taskId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.error?.message;
}

/** Agents, newest first. */
export async function selectAgents(db: Database, { limit, after }: PageRequest): Promise<AgentRow[]> {
  let query = db.selectFrom("agents").selectAll();
  if (after !== undefined) query = query.where("id", "<", after);
  return query
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
}

/** What these agents are at, and how busy they were in the last hour. */
export async function selectActivity(db: Database, ids: readonly string[]): Promise<AgentActivity[]> {
  const { rows } = await sql<AgentActivity>`
    select asked.id,
      coalesce((select sum(slots) from agent_presence
        where agent_id = asked.id and seen_at > now() - ${presentForMs} * interval '1 ms'), 0)::integer as slots,
      coalesce((select json_agg(json_build_object(
          'projectId', group_id, 'taskId', payload ->> 'taskId', 'startedAt', claimed_at) order by claimed_at desc)
        from jobs where queue = 'agent:' || asked.id and claimed_by is not null), '[]') as running,
      coalesce((select extract(epoch from sum(least(ended_at, now()) - greatest(started_at, now() - interval '1 hour')))
        from attempts where agent_id = asked.id and ended_at > now() - interval '1 hour'), 0)::double precision
      + coalesce((select extract(epoch from sum(now() - greatest(claimed_at, now() - interval '1 hour')))
        from jobs where queue = 'agent:' || asked.id and claimed_by is not null), 0)::double precision as "busySeconds",
      (select max(ended_at) from attempts where agent_id = asked.id) as "lastEndedAt"
    from unnest(${ids}::text[]) as asked (id)`.execute(db);
  return rows.map((row) => ({
    ...row,
    running: row.running.map((one) => ({ ...one, startedAt: new Date(one.startedAt) })),
  }));
}

/** Which of these projects somebody owns. */
export async function selectOwned(db: Database, ids: readonly string[], ownerId: string): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("projects")
    .select("id")
    .where("id", "in", [...ids])
    .where("owner_id", "=", ownerId)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
