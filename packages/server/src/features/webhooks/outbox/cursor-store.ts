import { sql } from "kysely";
import type { LogPosition } from "../../../engine/events/index.ts";
import { advisoryLocks, type Database, type Transaction } from "../../../platform/database/index.ts";

const [lockFamily, lockNumber] = advisoryLocks.webhooks;

/** The number of webhooks that share the cursor. */
export const followerCount = sql`(select count(*) from webhooks where cursor_xid is null)`;

/** Takes or renews the lead, unless another node has it: only the leader reads the log for webhooks. */
export async function takeLead(db: Database, node: string, leadMs: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update event_cursors set claimed_by = ${node}, lease_expires_at = now() + ${leadMs} * interval '1 ms'
    where reader = 'webhooks' and (claimed_by is null or claimed_by = ${node} or lease_expires_at < now())`.execute(db);
  return numAffectedRows > 0n;
}

/** Leaves the lead to others at once; without a node, whoever has it loses it. */
export async function leaveLead(db: Database, node: string | undefined): Promise<void> {
  await sql`
    update event_cursors set claimed_by = null, lease_expires_at = null
    where reader = 'webhooks' and claimed_by is not null and claimed_by = coalesce(${node ?? null}, claimed_by)`.execute(
    db,
  );
}

export interface Unread {
  readonly followers: number;
  /** Whether this node leads or may take the lead. */
  readonly mayLead: boolean;
  /** Whether there are events after the shared cursor, and whether some of them can be read: no older transaction is open. */
  readonly hasUnread: boolean;
  readonly hasReadable: boolean;
}

/** What a node that does not lead needs to know: writes nothing, so an idle service does not either. */
export async function findUnread(db: Database, node: string): Promise<Unread> {
  const isAfter = sql`(events.xid, events.project_id, events.sequence) > (head.xid, head.project_id, head.sequence)`;
  const { rows } = await sql<Unread>`
    select ${followerCount} as followers,
      (claimed_by is null or claimed_by = ${node} or lease_expires_at < now()) as "mayLead",
      exists (select from events where ${isAfter}) as "hasUnread",
      exists (
        select from events where ${isAfter} and events.xid < pg_snapshot_xmin(pg_current_snapshot())
      ) as "hasReadable"
    from event_cursors as head where reader = 'webhooks'`.execute(db);
  return rows[0]!;
}

/** Waits until nobody else moves a cursor, to the end of the transaction. */
export async function lockCursors(trx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockFamily}, ${lockNumber})`.execute(trx);
}

/** Moves the shared cursor to the end of the log, if no webhook shares it. */
export async function skipToEnd(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockCursors(trx);
    await sql`
      update event_cursors set xid = pg_snapshot_xmin(pg_current_snapshot()), project_id = '', sequence = 0
      where reader = 'webhooks' and xid < pg_snapshot_xmin(pg_current_snapshot())
        and not exists (select from webhooks where cursor_xid is null)`.execute(trx);
  });
}

/** Gives webhooks with more than so many pending deliveries their own cursor, where the shared one is: the rest waits in the log. */
export async function detachOverfull(trx: Transaction, maxPending: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update webhooks set cursor_xid = head.xid, cursor_project_id = head.project_id, cursor_sequence = head.sequence
    from event_cursors as head
    where head.reader = 'webhooks' and cursor_xid is null and (
      select count(*) from (
        select from deliveries where webhook_id = webhooks.id and status = 'pending' order by due_at limit ${maxPending + 1}
      ) as waiting
    ) > ${maxPending}
    returning id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Webhooks with their own cursor and room for more deliveries, the one that is furthest behind first. */
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

/** From where to where an active webhook with its own cursor catches up; undefined if it need not, or this node does not lead. */
export async function findCatchUpRange(
  trx: Transaction,
  node: string,
  webhookId: string,
): Promise<{ readonly after: LogPosition; readonly upTo: LogPosition } | undefined> {
  const { rows } = await sql<{ after: LogPosition; upTo: LogPosition }>`
    select
      json_build_object('xid', cursor_xid::text, 'projectId', cursor_project_id, 'sequence', cursor_sequence) as after,
      json_build_object('xid', head.xid::text, 'projectId', head.project_id, 'sequence', head.sequence) as "upTo"
    from webhooks, event_cursors as head
    where webhooks.id = ${webhookId} and cursor_xid is not null and status = 'active'
      and head.reader = 'webhooks' and claimed_by = ${node}
    for update of head`.execute(trx);
  return rows[0];
}

/** Moves a webhook's own cursor; without a position, it shares the cursor of the others from now on. */
export async function moveOwnCursor(trx: Transaction, webhookId: string, to: LogPosition | undefined): Promise<void> {
  await sql`
    update webhooks set cursor_xid = ${to?.xid ?? null}::xid8, cursor_project_id = ${to?.projectId ?? null},
      cursor_sequence = ${to?.sequence ?? null}
    where id = ${webhookId}`.execute(trx);
}
