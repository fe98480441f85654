import type { CompleteLease, WorkerEvent } from "@slipway/contract";
import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../../../platform/database/index.ts";
import type { OfferedWork } from "./offered-work.ts";

/** What a lease is for. */
export interface LeaseTask {
  readonly agentId: string;
  readonly projectId: string;
  readonly taskId: string;
}

export interface LeaseReport extends Pick<CompleteLease, "message" | "breakdown"> {
  readonly outcome: "done" | "failed";
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

/** Ends every lease of a task but one, so that two workers never work on it; returns the ids of the ended ones. */
export async function endLeasesBut(
  db: Database,
  { projectId, taskId }: Pick<LeaseTask, "projectId" | "taskId">,
  id: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update worker_leases set state = 'ended', is_cancelled = true, report = null
    where project_id = ${projectId} and task_id = ${taskId} and id <> ${id} and state <> 'ended'
    returning id`.execute(db);
  return rows.map((row) => row.id);
}

/** A lease, and who followed it when it was found. */
export interface FoundLease {
  readonly id: string;
  readonly follower: string | null;
}

/** The leases of a task that have not ended. */
export async function selectLeases(
  db: Database,
  { projectId, taskId }: Pick<LeaseTask, "projectId" | "taskId">,
): Promise<FoundLease[]> {
  const { rows } = await sql<FoundLease>`
    select id, followed_by as follower from worker_leases
    where project_id = ${projectId} and task_id = ${taskId} and state <> 'ended'`.execute(db);
  return rows;
}

/** Ends those of these leases that nobody else has followed since; returns their ids. */
export async function endLeases(db: Database, found: readonly FoundLease[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update worker_leases set state = 'ended', is_cancelled = true, report = null
    from unnest(${found.map(({ id }) => id)}::text[], ${found.map(({ follower }) => follower)}::text[]) as found (id, follower)
    where worker_leases.id = found.id and followed_by is not distinct from found.follower and state <> 'ended'
    returning worker_leases.id`.execute(db);
  return rows.map((row) => row.id);
}

/** Becomes the follower of a lease that an earlier process offered; returns whether the lease still exists. */
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

/** The lease that an earlier process offered for the very same work, if it has not ended. */
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
  /** How long the worker has sent nothing, or no worker has claimed it. */
  readonly silentMs: number;
}

/** The lease as its follower sees it; undefined once another process follows it. */
export async function readLease(db: Database, id: string, follower: string): Promise<FollowedLease | undefined> {
  const { rows } = await sql<FollowedLease>`
    select state, report, extract(epoch from now() - coalesce(last_heartbeat_at, created_at))::double precision * 1000 as "silentMs"
    from worker_leases where id = ${id} and followed_by = ${follower}`.execute(db);
  return rows[0];
}

/** Removes and returns the events of a lease's holders, in order. */
export async function takeEvents(db: Database, id: string): Promise<WorkerEvent[]> {
  const { rows } = await sql<{ event: WorkerEvent }>`
    with taken as (delete from worker_events where lease_id = ${id} returning fence, sequence, event)
    select event from taken order by fence, sequence`.execute(db);
  return rows.map(({ event }) => event);
}

/** Offers a claimed lease again; what its former holder still sends is refused. */
export async function releaseLease(db: Database, id: string, fence?: number): Promise<boolean> {
  const { rows } = await sql`
    update worker_leases set state = 'offered', claimed_at = null, last_heartbeat_at = now()
    where id = ${id} and state = 'claimed' and fence = coalesce(${fence ?? null}, fence)
    returning id`.execute(db);
  return rows.length > 0;
}

/** Ends a lease; only its follower may. The report was read, and may hold a secret. */
export async function endLease(
  db: Database,
  id: string,
  follower: string,
  { isCancelled }: { isCancelled: boolean },
): Promise<void> {
  await sql`
    update worker_leases set state = 'ended', is_cancelled = is_cancelled or ${isCancelled}, report = null
    where id = ${id} and followed_by = ${follower}`.execute(db);
}

export interface ClaimedLease {
  readonly id: string;
  readonly fence: number;
  readonly projectId: string;
  readonly work: OfferedWork;
}

/** Claims the task that was offered to the agent first. */
export async function claimLease(db: Database, agentId: string): Promise<ClaimedLease | undefined> {
  const { rows } = await sql<ClaimedLease>`
    with first as (
      select id from worker_leases where agent_id = ${agentId} and state = 'offered'
      order by created_at, id limit 1 for update skip locked
    )
    update worker_leases set state = 'claimed', fence = fence + 1, claimed_at = now(), last_heartbeat_at = now(), last_sequence = 0
    from first where worker_leases.id = first.id
    returning worker_leases.id, fence, project_id as "projectId", work`.execute(db);
  return rows[0];
}

export interface WorkerLease extends Pick<Selectable<Schema["worker_leases"]>, "state" | "fence"> {
  readonly agentId: string;
  readonly projectId: string;
  readonly isCancelled: boolean;
  readonly source: string;
}

/** A lease of an agent that the user registered. */
export async function findLease(db: Database, id: string, userId: string): Promise<WorkerLease | undefined> {
  const { rows } = await sql<WorkerLease>`
    select worker_leases.agent_id as "agentId", project_id as "projectId", state, fence, is_cancelled as "isCancelled",
      work ->> 'source' as source
    from worker_leases join agents on agents.id = worker_leases.agent_id
    where worker_leases.id = ${id} and agents.registered_by = ${userId}`.execute(db);
  return rows[0];
}

/** Keeps the lease with its holder until the transaction ends; outside of a transaction it does nothing. */
export async function lockLease(trx: Database | Transaction, id: string): Promise<void> {
  await sql`select from worker_leases where id = ${id} for share`.execute(trx);
}

/** Renews the lease of a worker that was heard from; returns whether it still holds the lease. */
export async function renewLease(db: Database, id: string, fence: number): Promise<boolean> {
  const { rows } = await sql`
    update worker_leases set last_heartbeat_at = now() where id = ${id} and fence = ${fence} and state = 'claimed'
    returning id`.execute(db);
  return rows.length > 0;
}

/** Whether more wait to be read than this, by number or by size: a service that comes back reads them all at once. */
export async function areTooManyUnread(
  db: Database,
  id: string,
  max: { readonly events: number; readonly bytes: number },
): Promise<boolean> {
  const { rows } = await sql<{ isTooMany: boolean }>`
    select count(*) > ${max.events} or coalesce(sum(octet_length(event::text)), 0) > ${max.bytes} as "isTooMany"
    from (select event from worker_events where lease_id = ${id} limit ${max.events + 1}) as unread`.execute(db);
  return rows[0]?.isTooMany === true;
}

/** Adds the events that are not there yet; returns whether the sender holds the lease. */
export async function addEvents(
  db: Database,
  id: string,
  fence: number,
  events: readonly WorkerEvent[],
): Promise<boolean> {
  const sequences = events.map(({ sequence }) => sequence);
  const { rows } = await sql`
    with lease as (
      select id, last_sequence from worker_leases
      where id = ${id} and fence = ${fence} and state = 'claimed' for update
    ), added as (
      insert into worker_events (lease_id, fence, sequence, event)
      select lease.id, ${fence}, sent.sequence, sent.event::json
      from lease, unnest(${sequences}::bigint[], ${events.map((event) => JSON.stringify(event))}::text[]) as sent (sequence, event)
      where sent.sequence > lease.last_sequence
      on conflict do nothing
    )
    update worker_leases set last_heartbeat_at = now(), last_sequence = greatest(lease.last_sequence, ${Math.max(...sequences)})
    from lease where worker_leases.id = lease.id
    returning worker_leases.id`.execute(db);
  return rows.length > 0;
}

/** Saves how a task ended; returns whether the sender held the lease. */
export async function completeLease(db: Database, id: string, fence: number, report: LeaseReport): Promise<boolean> {
  const { rows } = await sql`
    update worker_leases set state = 'completed', report = ${JSON.stringify(report)}, last_heartbeat_at = now()
    where id = ${id} and fence = ${fence} and state = 'claimed'
    returning id`.execute(db);
  return rows.length > 0;
}

/** Deletes leases that ended an hour ago, and any that nobody has touched for a day. */
export async function removeOldLeases(db: Database): Promise<void> {
  await sql`
    delete from worker_leases
    where coalesce(last_heartbeat_at, created_at) < now() - case state when 'ended' then interval '1 hour' else interval '1 day' end`.execute(
    db,
  );
}
