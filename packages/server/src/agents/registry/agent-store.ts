import type { TotalUsage } from "@slipway/contract";
import { restRole } from "@slipway/spec";
import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../../platform/database/index.ts";
import type { PageRequest } from "../../platform/http/index.ts";
import type { PastActivity } from "./agent-status.ts";

export type AgentRow = Selectable<Schema["agents"]>;

export interface KnownAgent {
  readonly id: string;
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly offersEveryRole: boolean;
  /** The sum over the nodes that are present; zero: the agent is offline. */
  readonly slots: number;
}

/** A node or worker that has sent nothing for so long counts as gone. */
export const presentForMs = 15_000;
/** An agent that no node has seen for so long counts as unknown. */
const knownForMs = 600_000;

/** The kind of agents that fill any role. */
export const everyRoleKind = "blueprint";

/**
 * What an agent can do, as far as it counts for who gets a task. Whoever does not build by rule can finish what was built by
 * rule; whoever does cannot, whatever is declared.
 */
export function effectiveCapabilities(kind: string, declared: readonly string[]): readonly string[] {
  const others = declared.filter((capability) => capability !== restRole);
  return kind === everyRoleKind ? others : [...others, restRole];
}

/** The agents that a node has seen in the last ten minutes, and those registered since. */
export async function selectKnownAgents(db: Database | Transaction): Promise<KnownAgent[]> {
  const { rows } = await sql<Omit<KnownAgent, "offersEveryRole"> & { kind: string }>`
    select agents.id, agents.name, agents.capabilities, agents.kind,
      case when agents.is_draining then 0 else least(agents.slots, coalesce(sum(presence.slots) filter (
        where seen_at > now() - ${presentForMs} * interval '1 ms' and problem is null), 0)::integer) end as slots
    from agents left join agent_presence presence on presence.agent_id = agents.id
    where coalesce(seen_at, agents.created_at) > now() - ${knownForMs} * interval '1 ms'
    group by agents.id order by agents.id`.execute(db);
  return rows.map(({ kind, capabilities, ...agent }) => ({
    ...agent,
    capabilities: effectiveCapabilities(kind, capabilities),
    offersEveryRole: kind === everyRoleKind,
  }));
}

export async function findAgent(db: Database, id: string): Promise<AgentRow | undefined> {
  return db.selectFrom("agents").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The error of a task's latest attempt, if it failed. */
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

type Presence = Pick<PastActivity, "slots" | "problem" | "version" | "isDraining">;
/** Of an agent that was deleted between two statements. */
const absent: Presence = { slots: 0, problem: null, version: null, isDraining: false };

/** The presence of these agents, and how busy ended attempts kept them in the last hour. */
export async function selectActivity(db: Database, ids: readonly string[]): Promise<PastActivity[]> {
  const { rows } = await sql<Omit<PastActivity, keyof Presence> & { presence: Presence | null }>`
    select asked.id,
      (select json_build_object(
          'slots', least(agents.slots, coalesce(sum(presence.slots) filter (where problem is null), 0)),
          'problem', min(problem) filter (where presence.slots > 0), 'version', max(version), 'isDraining', agents.is_draining)
        from agents left join agent_presence presence
          on presence.agent_id = agents.id and seen_at > now() - ${presentForMs} * interval '1 ms'
        where agents.id = asked.id group by agents.id) as presence,
      coalesce((select extract(epoch from sum(least(ended_at, now()) - greatest(started_at, now() - interval '1 hour')))
        from attempts where agent_id = asked.id and ended_at > now() - interval '1 hour'), 0)::double precision as "busySeconds",
      (select max(ended_at) from attempts where agent_id = asked.id) as "lastEndedAt"
    from unnest(${ids}::text[]) as asked (id)`.execute(db);
  return rows.map(({ presence, ...row }) => ({ ...row, ...(presence ?? absent) }));
}

/** How many seconds these agents were busy in each of the last twelve five minutes, by tasks that have ended. */
export async function selectBusySeconds(
  db: Database,
  ids: readonly string[],
): Promise<{ id: string; part: number; seconds: number }[]> {
  const { rows } = await sql<{ id: string; part: number; seconds: number }>`
    select agent_id as id, part,
      sum(extract(epoch from least(ended_at, since + interval '5 minutes') - greatest(started_at, since)))::double precision as seconds
    from attempts cross join lateral (
      select part, now() - (12 - part) * interval '5 minutes' as since from generate_series(0, 11) as part
    ) as parts
    where agent_id = any(${ids}::text[]) and ended_at > now() - interval '1 hour'
      and ended_at > since and started_at < since + interval '5 minutes'
    group by agent_id, part`.execute(db);
  return rows;
}

export async function selectUserNames(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("users")
    .select(["id", "name"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** What these agents have used in the last 30 days. */
export async function selectAgentUsage(db: Database, ids: readonly string[]): Promise<Map<string, TotalUsage>> {
  const { rows } = await sql<{ id: string } & TotalUsage>`
    select agent_id as id, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
      sum(case when cost_usd > 1e9 then 1e9 else cost_usd end) as cost_usd, bool_and(num_nulls(input_tokens, output_tokens, cost_usd) = 0) as is_complete
    from agent_runs
    where agent_id = any(${ids}::text[]) and started_at > now() - interval '30 days'
    group by agent_id`.execute(db);
  return new Map(rows.map(({ id, ...usage }) => [id, usage]));
}

/** Adds a registered agent; undefined if its name is taken. */
export async function insertAgent(
  trx: Transaction,
  agent: Pick<AgentRow, "id" | "name" | "kind" | "capabilities" | "url" | "slots" | "registered_by">,
): Promise<AgentRow | undefined> {
  return trx
    .insertInto("agents")
    .values(agent)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Deletes an agent that was registered; returns whether there was one. */
export async function deleteRegisteredAgent(trx: Transaction, id: string): Promise<boolean> {
  const query = trx.deleteFrom("agents").where("id", "=", id).where("registered_by", "is not", null);
  return (await query.returning("id").executeTakeFirst()) !== undefined;
}

/** Makes the agent take no new tasks until it has restarted. */
export async function drainAgent(trx: Transaction, id: string): Promise<AgentRow | undefined> {
  return trx.updateTable("agents").set({ is_draining: true }).where("id", "=", id).returningAll().executeTakeFirst();
}
