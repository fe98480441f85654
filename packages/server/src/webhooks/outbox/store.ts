import type { EventName } from "@slipway/contract";
import { sql } from "kysely";
import { advisoryLocks, type Database, type Transaction } from "../../database/index.ts";
import type { LogPlace } from "../../events/index.ts";

const [lockFamily, lockNumber] = advisoryLocks.webhooks;

/** Where all webhooks stand that keep up, and how many do. */
export interface Head {
  readonly place: LogPlace;
  readonly followers: number;
}

/** The head, if nobody else is at it; from then on it is this transaction's alone. */
export async function takeHead(trx: Transaction): Promise<Head | undefined> {
  const locked = sql<{ isMine: boolean }>`
    select pg_try_advisory_xact_lock(${lockFamily}, ${lockNumber}) as "isMine"`.execute(trx);
  // A statement of its own: what it sees must not be older than the lock.
  const found = sql<{ xid: string; projectId: string; sequence: number; followers: number }>`
    select xid::text, project_id as "projectId", sequence,
      (select count(*) from webhooks where cursor_xid is null) as followers
    from event_cursors where reader = 'webhooks'`.execute(trx);
  const [{ rows: locks }, { rows: heads }] = await Promise.all([locked, found]);
  const [head] = heads;
  if (locks[0]?.isMine !== true || head === undefined) return undefined;
  const { followers, ...place } = head;
  return { place, followers };
}

/** Waits until the head moves no more, in this transaction: for changes that must know where it is. */
export async function holdHead(trx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockFamily}, ${lockNumber})`.execute(trx);
}

/** Which deliveries may be written as taken already: so many for each webhook, by who remembers that version of it. */
export interface Offer {
  readonly node: string;
  readonly leaseMs: number;
  readonly webhookIds: readonly string[];
  readonly versions: readonly number[];
  readonly slots: readonly number[];
}

/** Part of the log, for some webhooks. */
export interface Portion {
  readonly after: LogPlace;
  /** For one webhook that catches up: the log up to there. Otherwise for all that keep up, as far as it can be read. */
  readonly catchUp?: { readonly webhookId: string; readonly upTo: LogPlace };
  readonly limit: number;
  readonly offer: Offer;
}

type WrittenDelivery = readonly [id: number, webhookId: string, sequence: number, isTaken: boolean];

/** An event that was read, and what was written for it. */
export interface ReadEvent {
  readonly xid: string;
  readonly projectId: string;
  readonly sequence: number;
  readonly id: string;
  readonly name: EventName;
  readonly data: Record<string, unknown>;
  readonly createdAt: Date;
  readonly deliveries: readonly WrittenDelivery[];
}

/**
 * Reads a portion of the log and writes a delivery for each webhook that an event is for. One statement, and so one view of
 * the database: whoever is a webhook in it gets what is read in it, and an event that comes later is read later.
 */
export async function writeDeliveries(
  trx: Transaction,
  { after, catchUp, limit, offer }: Portion,
): Promise<readonly ReadEvent[]> {
  const upTo = catchUp?.upTo;
  const { rows } = await sql<ReadEvent>`
    with batch as materialized (
      select xid, project_id, sequence, id, name, data, created_at from events
      where (xid, project_id, sequence) > (${after.xid}::xid8, ${after.projectId}, ${after.sequence}::bigint)
        and xid < pg_snapshot_xmin(pg_current_snapshot())
        and (${upTo?.xid ?? null}::xid8 is null
          or (xid, project_id, sequence) <= (${upTo?.xid ?? null}::xid8, ${upTo?.projectId ?? ""}, ${upTo?.sequence ?? 0}::bigint))
      order by xid, project_id, sequence limit ${limit}
    ), project as materialized (
      select id, owner_id, array(
        select distinct name from approvals, unnest(approvers) as name where approvals.project_id = projects.id
      ) as asked
      from projects where id in (select project_id from batch)
    ), matched as materialized (
      select webhooks.id as webhook_id, webhooks.version, webhooks.ordering,
        batch.xid, batch.project_id, batch.sequence as event_sequence, batch.id as event_id, batch.name,
        row_number() over (partition by webhooks.id, batch.project_id order by batch.xid, batch.sequence) as nth,
        count(*) over (partition by webhooks.id, batch.project_id) as total,
        row_number() over (partition by webhooks.id order by batch.xid, batch.project_id, batch.sequence) as turn
      from webhooks
      join users on users.id = webhooks.owner_id
      join batch on ('*' = any(webhooks.events) or batch.name = any(webhooks.events))
        and (webhooks.project_id is null or webhooks.project_id = batch.project_id)
      join project on project.id = batch.project_id
      where (${catchUp?.webhookId ?? null}::text is null and webhooks.cursor_xid is null or webhooks.id = ${catchUp?.webhookId ?? null})
        and not pg_visible_in_snapshot(batch.xid, webhooks.born)
        and (users.role in ('svc:admin', 'svc:readonly') or project.owner_id = users.id or users.name = any(project.asked))
    ), counted as (
      insert into webhook_sequences as known (webhook_id, project_id, last)
      select distinct webhook_id, project_id, total from matched
      on conflict (webhook_id, project_id) do update set last = known.last + excluded.last
      returning webhook_id, project_id, last
    ), written as (
      insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, sequence, due_at, claimed_by, fence)
      select matched.webhook_id, event_id, name, project_id, event_sequence, last - total + nth,
        case when turn <= slots then now() + ${offer.leaseMs} * interval '1 ms' else now() end,
        case when turn <= slots then ${offer.node} end,
        case when turn <= slots then 1 else 0 end
      from matched join counted using (webhook_id, project_id)
      -- Of what keeps its order, only the first may go: it is looked for when it is taken.
      left join unnest(${offer.webhookIds}::text[], ${offer.versions}::bigint[], ${offer.slots}::integer[]) as offer (webhook_id, version, slots)
        on offer.webhook_id = matched.webhook_id and offer.version = matched.version and ordering = 'none'
      order by xid, project_id, event_sequence
      returning id, webhook_id, event_id, sequence, claimed_by is not null as is_taken
    ), grouped as (
      select event_id, json_agg(json_build_array(id, webhook_id, sequence, is_taken)) as deliveries from written group by 1
    )
    select batch.xid::text, batch.project_id as "projectId", batch.sequence, batch.id, batch.name, batch.data,
      batch.created_at as "createdAt", coalesce(grouped.deliveries, '[]') as deliveries
    from batch left join grouped on grouped.event_id = batch.id
    order by batch.xid, batch.project_id, batch.sequence`.execute(trx);
  return rows;
}

export async function moveHead(trx: Transaction, { xid, projectId, sequence }: LogPlace): Promise<void> {
  await sql`
    update event_cursors set xid = ${xid}::xid8, project_id = ${projectId}, sequence = ${sequence}
    where reader = 'webhooks'`.execute(trx);
}

/** Nobody follows: all that can be read is for nobody. */
export async function skipToEnd(trx: Transaction): Promise<void> {
  await sql`
    update event_cursors set xid = pg_snapshot_xmin(pg_current_snapshot()), project_id = '', sequence = 0
    where reader = 'webhooks' and xid < pg_snapshot_xmin(pg_current_snapshot())
      and not exists (select from webhooks where cursor_xid is null)`.execute(trx);
}

/** Whether there are events that cannot be read yet, because an older transaction is still open. */
export async function isHeldBack(db: Database): Promise<boolean> {
  const { rows } = await sql<{ isHeldBack: boolean }>`
    select exists (select from events where xid >= pg_snapshot_xmin(pg_current_snapshot())) as "isHeldBack"`.execute(
    db,
  );
  return rows[0]?.isHeldBack === true;
}

/** Lets webhooks that have too much before them fall behind: the rest of it waits in the log. Gives which. */
export async function leaveOverfull(
  trx: Transaction,
  { xid, projectId, sequence }: LogPlace,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update webhooks set cursor_xid = ${xid}::xid8, cursor_project_id = ${projectId}, cursor_sequence = ${sequence}
    where cursor_xid is null and (
      select count(*) from (
        select from deliveries where webhook_id = webhooks.id and status = 'pending' order by due_at limit ${most + 1}
      ) as waiting
    ) > ${most}
    returning id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Webhooks that fell behind and have room for more, with the place at which each stands. */
export async function selectBehind(
  db: Database,
  { room, limit }: { room: number; limit: number },
): Promise<(LogPlace & { webhookId: string })[]> {
  const { rows } = await sql<LogPlace & { webhookId: string }>`
    select id as "webhookId", cursor_xid::text as xid, cursor_project_id as "projectId", cursor_sequence as sequence
    from webhooks where cursor_xid is not null and status = 'active' and (
      select count(*) from (
        select from deliveries where webhook_id = webhooks.id and status = 'pending' order by due_at limit ${room}
      ) as waiting
    ) < ${room}
    order by cursor_xid limit ${limit}`.execute(db);
  return rows;
}

/** Where a webhook that catches up stands now; nothing if it no longer does. */
export async function findBehind(trx: Transaction, webhookId: string): Promise<LogPlace | undefined> {
  const { rows } = await sql<LogPlace>`
    select cursor_xid::text as xid, cursor_project_id as "projectId", cursor_sequence as sequence
    from webhooks where id = ${webhookId} and cursor_xid is not null and status = 'active'`.execute(trx);
  return rows[0];
}

/** Moves a webhook's own place on; without one, it keeps up from now on. */
export async function moveBehind(trx: Transaction, webhookId: string, place: LogPlace | undefined): Promise<void> {
  await sql`
    update webhooks set cursor_xid = ${place?.xid ?? null}::xid8, cursor_project_id = ${place?.projectId ?? null},
      cursor_sequence = ${place?.sequence ?? null}
    where id = ${webhookId}`.execute(trx);
}
