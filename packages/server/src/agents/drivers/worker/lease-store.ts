import type { CompleteLease, WorkerEvent } from "@slipway/contract";
import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../../../platform/database/index.ts";
import { presentForMs } from "../../registry/agent-store.ts";
import { workerNode } from "../../registry/presence-store.ts";
import type { OfferedWork } from "./offered-work.ts";

/** What a lease is for. */
export interface LeaseTask {
  readonly agentId: string;
  readonly projectId: string;
  readonly taskId: string;
}

export interface LeaseReport extends Pick<CompleteLease, "message" | "breakdown"> {
  readonly outcome: "done" | "failed";
  /** Of the patch's bytes. */
  readonly patchDigest?: string;
}

/** Offers a task to the workers of an agent. */
export async function offerLease(
  db: Database,
  { id, agentId, projectId, taskId, work, follower }: LeaseTask & { id: string; work: OfferedWork; follower: string },
): Promise<void> {
  await sql`
    insert into worker_leases (id, agent_id, project_id, task_id, work, followed_by)
    values (${id}, ${agentId}, ${projectId}, ${taskId}, ${JSON.stringify(work)}, ${follower})`.execute(db);
}

/** Ends all leases for a task but one: never two at one task. Gives the ids of those that were ended. */
export async function endLeasesBut(
  db: Database,
  { projectId, taskId }: Pick<LeaseTask, "projectId" | "taskId">,
  id: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update worker_leases set state = 'ended', is_cancelled = true
    where project_id = ${projectId} and task_id = ${taskId} and id <> ${id} and state <> 'ended'
    returning id`.execute(db);
  return rows.map((row) => row.id);
}

/** Goes on with a lease that an earlier process has offered; says whether it still can. */
export async function followLease(
  db: Database,
  id: string,
  { agentId, projectId, taskId }: LeaseTask,
  follower: string,
): Promise<boolean> {
  const { rows } = await sql`
    update worker_leases set followed_by = ${follower}
    where id = ${id} and agent_id = ${agentId} and project_id = ${projectId} and task_id = ${taskId} and state <> 'ended'
    returning id`.execute(db);
  return rows.length > 0;
}

/** The lease of an earlier process for the very same work, if it has not ended. */
export async function findSameLease(
  db: Database,
  { agentId, projectId, taskId }: LeaseTask,
  { attempt, prompt, source }: Pick<OfferedWork, "attempt" | "prompt" | "source">,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from worker_leases
    where agent_id = ${agentId} and project_id = ${projectId} and task_id = ${taskId} and state <> 'ended'
      and (work ->> 'attempt')::integer = ${attempt} and work ->> 'prompt' = ${prompt} and work ->> 'source' = ${source}
    order by created_at desc limit 1`.execute(db);
  return rows[0]?.id;
}

export interface FollowedLease {
  readonly state: Selectable<Schema["worker_leases"]>["state"];
  readonly report: LeaseReport | null;
  /** For how long nothing was heard, or nobody took it. */
  readonly silentMs: number;
}

/** Where a lease stands; nothing for who does not follow it any more. */
export async function readLease(db: Database, id: string, follower: string): Promise<FollowedLease | undefined> {
  const { rows } = await sql<FollowedLease>`
    select state, report, extract(epoch from now() - coalesce(last_heartbeat_at, created_at))::double precision * 1000 as "silentMs"
    from worker_leases where id = ${id} and followed_by = ${follower}`.execute(db);
  return rows[0];
}

/** Takes out what a worker has let know, in order. */
export async function takeEvents(db: Database, id: string): Promise<WorkerEvent[]> {
  const { rows } = await sql<{ event: WorkerEvent }>`
    with taken as (delete from worker_events where lease_id = ${id} returning sequence, event)
    select event from taken order by sequence`.execute(db);
  return rows.map(({ event }) => event);
}

/** Offers a lease anew whose holder is gone, or never was there: what that one still sends no longer counts. */
export async function offerAgain(db: Database, id: string, fence?: number): Promise<boolean> {
  const { rows } = await sql`
    update worker_leases set state = 'offered', claimed_at = null, last_heartbeat_at = now()
    where id = ${id} and state = 'claimed' and fence = coalesce(${fence ?? null}, fence)
    returning id`.execute(db);
  return rows.length > 0;
}

/** Ends a lease, for who follows it. */
export async function endLease(
  db: Database,
  id: string,
  follower: string,
  { isCancelled }: { isCancelled: boolean },
): Promise<void> {
  await sql`
    update worker_leases set state = 'ended', is_cancelled = is_cancelled or ${isCancelled}
    where id = ${id} and followed_by = ${follower}`.execute(db);
}

export interface TakenLease {
  readonly id: string;
  readonly fence: number;
  readonly projectId: string;
  readonly work: OfferedWork;
}

/** Takes the task that was offered to the agent first. */
export async function takeLease(db: Database, agentId: string): Promise<TakenLease | undefined> {
  const { rows } = await sql<TakenLease>`
    with first as (
      select id from worker_leases where agent_id = ${agentId} and state = 'offered'
      order by created_at, id limit 1 for update skip locked
    )
    update worker_leases set state = 'claimed', fence = fence + 1, claimed_at = now(), last_heartbeat_at = now(), last_sequence = 0
    from first where worker_leases.id = first.id
    returning worker_leases.id, fence, project_id as "projectId", work`.execute(db);
  return rows[0];
}

/** Says that a worker of the agent is there; answers whether none was before. */
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

export interface HeldLease extends Pick<Selectable<Schema["worker_leases"]>, "state" | "fence"> {
  readonly agentId: string;
  readonly projectId: string;
  readonly isCancelled: boolean;
  readonly source: string;
}

/** A lease of an agent that the user has registered. */
export async function findLease(db: Database, id: string, userId: string): Promise<HeldLease | undefined> {
  const { rows } = await sql<HeldLease>`
    select worker_leases.agent_id as "agentId", project_id as "projectId", state, fence, is_cancelled as "isCancelled",
      work ->> 'source' as source
    from worker_leases join agents on agents.id = worker_leases.agent_id
    where worker_leases.id = ${id} and agents.registered_by = ${userId}`.execute(db);
  return rows[0];
}

/** Keeps the lease from changing hands until the transaction ends; outside of one, it does nothing. */
export async function lockLease(trx: Database | Transaction, id: string): Promise<void> {
  await sql`select from worker_leases where id = ${id} for share`.execute(trx);
}

/** Notes that its holder was heard of; says whether it is the holder. */
export async function hearLease(db: Database, id: string, fence: number): Promise<boolean> {
  const { rows } = await sql`
    update worker_leases set last_heartbeat_at = now() where id = ${id} and fence = ${fence} and state = 'claimed'
    returning id`.execute(db);
  return rows.length > 0;
}

/** How many events wait to be read; more than so many are not counted. */
export async function countEvents(db: Database, id: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (select from worker_events where lease_id = ${id} limit ${most + 1}) as unread`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Adds the events that have not come before; says whether the sender holds the lease. */
export async function addEvents(
  db: Database,
  id: string,
  fence: number,
  events: readonly WorkerEvent[],
): Promise<boolean> {
  const sequences = events.map(({ sequence }) => sequence);
  const { rows } = await sql`
    with held as (
      select id, last_sequence from worker_leases
      where id = ${id} and fence = ${fence} and state = 'claimed' for update
    ), added as (
      insert into worker_events (lease_id, sequence, event)
      select held.id, sent.sequence, sent.event::json
      from held, unnest(${sequences}::bigint[], ${events.map((event) => JSON.stringify(event))}::text[]) as sent (sequence, event)
      where sent.sequence > held.last_sequence
      on conflict do nothing
    )
    update worker_leases set last_heartbeat_at = now(), last_sequence = greatest(held.last_sequence, ${Math.max(...sequences)})
    from held where worker_leases.id = held.id
    returning worker_leases.id`.execute(db);
  return rows.length > 0;
}

/** Writes down how a task ended; says whether the sender held the lease. */
export async function completeLease(db: Database, id: string, fence: number, report: LeaseReport): Promise<boolean> {
  const { rows } = await sql`
    update worker_leases set state = 'completed', report = ${JSON.stringify(report)}, last_heartbeat_at = now()
    where id = ${id} and fence = ${fence} and state = 'claimed'
    returning id`.execute(db);
  return rows.length > 0;
}

/** Forgets what ended long ago, and what nobody has followed or held for a day. */
export async function removeOldLeases(db: Database): Promise<void> {
  await sql`
    delete from worker_leases
    where coalesce(last_heartbeat_at, created_at) < now() - case state when 'ended' then interval '1 hour' else interval '1 day' end`.execute(
    db,
  );
}
