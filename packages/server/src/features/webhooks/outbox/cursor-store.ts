import { sql } from "kysely";
import type { LogPosition } from "../../../engine/events/index.ts";
import { advisoryLocks, type Database, type Transaction } from "../../../platform/database/index.ts";

const [lockFamily, lockNumber] = advisoryLocks.webhooks;

/** Where all webhooks stand that keep up, and how many do. */
export interface Head {
  readonly place: LogPosition;
  readonly followers: number;
}

export interface HeadRow extends LogPosition {
  readonly followers: number;
}

export const headColumns = sql`
  event_cursors.xid::text, event_cursors.project_id as "projectId", event_cursors.sequence,
  (select count(*) from webhooks where cursor_xid is null) as followers`;

/** Takes the lead, if nobody else has it: until then nobody else reads the log for webhooks. */
export async function takeLead(
  db: Database,
  { node, leadMs }: { node: string; leadMs: number },
): Promise<Head | undefined> {
  const { rows } = await sql<HeadRow>`
    update event_cursors set claimed_by = ${node}, lease_expires_at = now() + ${leadMs} * interval '1 ms'
    where reader = 'webhooks' and (claimed_by is null or claimed_by = ${node} or lease_expires_at < now())
    returning ${headColumns}`.execute(db);
  return rows[0] && headOf(rows[0]);
}

/** Leaves the lead to others at once; without a node, whoever has it. */
export async function leaveLead(db: Database, node: string | undefined): Promise<void> {
  await sql`
    update event_cursors set claimed_by = null, lease_expires_at = null
    where reader = 'webhooks' and claimed_by is not null and claimed_by = coalesce(${node ?? null}, claimed_by)`.execute(
    db,
  );
}

/** Whether there is something to read for those that keep up, and how many they are. */
export async function findNews(db: Database): Promise<{ hasNews: boolean; followers: number }> {
  const { rows } = await sql<{ hasNews: boolean; followers: number }>`
    select (select count(*) from webhooks where cursor_xid is null) as followers, exists (
      select from events
      where (events.xid, events.project_id, events.sequence) > (event_cursors.xid, event_cursors.project_id, event_cursors.sequence)
        and events.xid < pg_snapshot_xmin(pg_current_snapshot())
    ) as "hasNews"
    from event_cursors where reader = 'webhooks'`.execute(db);
  return rows[0] ?? { hasNews: false, followers: 0 };
}

/** Where the head stands, if this node leads; from then on it does not move but in this transaction. */
export async function lockHead(trx: Transaction, node: string): Promise<LogPosition | undefined> {
  const locked = holdHead(trx);
  // A statement of its own: what it sees must not be older than the lock.
  const found = sql<LogPosition>`
    select xid::text, project_id as "projectId", sequence from event_cursors
    where reader = 'webhooks' and claimed_by = ${node} for update`.execute(trx);
  const [, { rows }] = await Promise.all([locked, found]);
  return rows[0];
}

export function headOf({ followers, ...place }: HeadRow): Head {
  return { place, followers };
}

/** Waits until the head moves no more, in this transaction: for changes that must know where it is. */
export async function holdHead(trx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockFamily}, ${lockNumber})`.execute(trx);
}

/** Nobody follows: all that can be read is for nobody. Where there is nothing to skip, nothing is written. */
export async function skipToEnd(trx: Transaction): Promise<void> {
  await sql`
    update event_cursors set xid = pg_snapshot_xmin(pg_current_snapshot()), project_id = '', sequence = 0
    where reader = 'webhooks'
      and exists (
        select from events where events.xid >= event_cursors.xid and events.xid < pg_snapshot_xmin(pg_current_snapshot())
      )
      and not exists (select from webhooks where cursor_xid is null)`.execute(trx);
}

/**
 * Whether there are events after a place, or else the head, that are for this node to read: those that cannot be read yet because
 * an older transaction is open, and also those for which that has ended since they were looked for.
 */
export async function hasUnread(
  db: Database,
  { node, after }: { readonly node: string; readonly after: LogPosition | undefined },
): Promise<boolean> {
  const { rows } = await sql<{ hasUnread: boolean }>`
    select exists (
      select from events where (events.xid, events.project_id, events.sequence) > (
        coalesce(${after?.xid ?? null}::xid8, head.xid), coalesce(${after?.projectId ?? null}, head.project_id),
        coalesce(${after?.sequence ?? null}::bigint, head.sequence)
      )
    ) as "hasUnread"
    from event_cursors as head
    where reader = 'webhooks' and (claimed_by is null or claimed_by = ${node} or lease_expires_at < now())`.execute(db);
  return rows[0]?.hasUnread === true;
}

/** Lets webhooks that have too much before them fall behind, where the head is: the rest of it waits in the log. Gives which. */
export async function leaveOverfull(
  trx: Transaction,
  { xid, projectId, sequence }: LogPosition,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update webhooks set cursor_xid = ${xid}::xid8, cursor_project_id = ${projectId}, cursor_sequence = ${sequence}
    where cursor_xid is null and exists (
      select from event_cursors where reader = 'webhooks'
        and (xid, project_id, sequence) = (${xid}::xid8, ${projectId}, ${sequence}::bigint)
    ) and (
      select count(*) from (
        select from deliveries where webhook_id = webhooks.id and status = 'pending' order by due_at limit ${most + 1}
      ) as waiting
    ) > ${most}
    returning id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Webhooks that fell behind and have room for more, the one that is furthest behind first. */
export async function selectBehind(db: Database, { room, limit }: { room: number; limit: number }): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from webhooks where cursor_xid is not null and status = 'active' and (
      select count(*) from (
        select from deliveries where webhook_id = webhooks.id and status = 'pending' order by due_at limit ${room}
      ) as waiting
    ) < ${room}
    order by cursor_xid limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Where a webhook that catches up stands now; nothing if it no longer does. */
export async function findBehind(trx: Transaction, webhookId: string): Promise<LogPosition | undefined> {
  const { rows } = await sql<LogPosition>`
    select cursor_xid::text as xid, cursor_project_id as "projectId", cursor_sequence as sequence
    from webhooks where id = ${webhookId} and cursor_xid is not null and status = 'active'`.execute(trx);
  return rows[0];
}

/** Moves a webhook's own place on; without one, it keeps up from now on. */
export async function moveBehind(trx: Transaction, webhookId: string, place: LogPosition | undefined): Promise<void> {
  await sql`
    update webhooks set cursor_xid = ${place?.xid ?? null}::xid8, cursor_project_id = ${place?.projectId ?? null},
      cursor_sequence = ${place?.sequence ?? null}
    where id = ${webhookId}`.execute(trx);
}
