import type { WebhookEventName, WebhookOrdering, WebhookStatus } from "@slipway/contract";
import { sql } from "kysely";
import type { Database, Transaction } from "../../../platform/database/index.ts";
import { readableByWebhook } from "../../projects/index.ts";
import { lockCursors } from "../outbox/cursor-store.ts";
import type { DeliveryResult } from "./delivery-result.ts";

/** A delivery as this node claimed it, with what may have changed since it was written. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly fence: number;
  readonly webhookId: string;
  readonly eventId: string;
  readonly event: WebhookEventName;
  readonly projectId: string;
  /** Of the event in its project; null: the delivery is of no event of the log. */
  readonly eventSequence: number | null;
  readonly sequence: number | null;
  /** What is posted where that is no event of the log. */
  readonly data: Record<string, unknown> | null;
  readonly happenedAt: Date;
  /** Attempts before this one, and how many of them count. */
  readonly attemptCount: number;
  readonly failures: number;
  /** Of the webhook. */
  readonly version: number;
  readonly isParked: boolean;
  readonly mayRead: boolean;
}

export interface Claim {
  readonly node: string;
  readonly leaseMs: number;
  readonly webhookIds: readonly string[];
  readonly slots: readonly number[];
}

/**
 * Claims due deliveries, so many for each webhook, the longest due first; those whose lease ended are due as well. Where a
 * webhook keeps order, only the first pending delivery of each project can be claimed, so nobody overtakes it. What happened
 * is read apart: an event that goes to a thousand webhooks would be read a thousand times.
 */
export async function claimDeliveries(
  db: Database | Transaction,
  { node, leaseMs, webhookIds, slots }: Claim,
): Promise<ClaimedDelivery[]> {
  if (webhookIds.length === 0) return [];
  const { rows } = await sql<ClaimedDelivery>`
    with chosen as materialized (
      select due.id from unnest(${webhookIds}::text[], ${slots}::integer[]) as wanted (webhook_id, slots)
      join webhooks on webhooks.id = wanted.webhook_id
      cross join lateral (
        select id from deliveries
        where webhook_id = wanted.webhook_id and status = 'pending' and due_at <= now()
          and (webhooks.ordering = 'none' or id = any(array(
            select min(waiting.id) from (
              select id, project_id from deliveries where webhook_id = wanted.webhook_id and status = 'pending'
              order by due_at, id offset 0
            ) as waiting group by project_id
          )))
        order by due_at, id
        limit case when webhooks.status = 'parked' then 1 else wanted.slots end
        for update skip locked
      ) as due
      where webhooks.status = 'active' or webhooks.status = 'parked' and webhooks.parked_until <= now()
    ), claimed as (
      update deliveries set due_at = now() + ${leaseMs} * interval '1 ms', claimed_by = ${node}, fence = fence + 1
      where id = any(array(select id from chosen))
      returning id, fence, webhook_id, event_id, event, project_id, event_sequence, sequence, data, attempt_count, failures, created_at
    )
    select claimed.id, claimed.fence, claimed.webhook_id as "webhookId", claimed.event_id as "eventId", claimed.event,
      claimed.project_id as "projectId", claimed.event_sequence as "eventSequence", claimed.sequence, claimed.data,
      coalesce(events.created_at, claimed.created_at) as "happenedAt", attempt_count as "attemptCount", failures,
      webhooks.version, webhooks.status = 'parked' as "isParked",
      (claimed.event_sequence is null or ${readableByWebhook()}) is true as "mayRead"
    from claimed
    join webhooks on webhooks.id = claimed.webhook_id
    join users on users.id = webhooks.owner_id
    left join events on events.project_id = claimed.project_id and events.sequence = claimed.event_sequence
    left join projects on projects.id = claimed.project_id
    order by claimed.id`.execute(db);
  return rows;
}

export interface Lease {
  readonly id: number;
  readonly fence: number;
}

export type Settlement = Lease & DeliveryResult;

const maxStoredAttempts = 20;

/** Writes what became of deliveries, as far as this node still has their leases. */
export async function settleDeliveries(trx: Database | Transaction, settled: readonly Settlement[]): Promise<void> {
  if (settled.length === 0) return;
  await sql`
    update deliveries set status = settled.status, reason = settled.reason,
      -- The fence moves on, so that a settlement sent twice counts once.
      fence = deliveries.fence + 1, due_at = now() + settled."delayMs" * interval '1 ms', claimed_by = null,
      attempt_count = attempt_count + (settled.attempt is not null)::integer,
      failures = failures + settled."isCounted"::integer,
      attempts = case when settled.attempt is null then attempts
        when jsonb_array_length(attempts) < ${maxStoredAttempts} then attempts || settled.attempt
        else (attempts - 0) || settled.attempt end,
      delivered_at = case when settled.status = 'delivered' then now() else delivered_at end
    from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) as settled (
      id bigint, fence integer, status text, reason text, "delayMs" double precision, "isCounted" boolean, attempt jsonb
    )
    where deliveries.id = settled.id and deliveries.fence = settled.fence and deliveries.status = 'pending'`.execute(
    trx,
  );
}

/** Makes claimed deliveries due again at once. */
export async function releaseDeliveries(db: Database, leases: readonly Lease[]): Promise<void> {
  await sql`
    update deliveries set due_at = now(), claimed_by = null, fence = deliveries.fence + 1
    from unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
    where deliveries.id = lease.id and deliveries.fence = lease.fence and status = 'pending'`.execute(db);
}

/** Releases what earlier nodes claimed; only for a service that is certain to be the only node. */
export async function releaseAllDeliveries(db: Database): Promise<void> {
  await sql`
    update deliveries set due_at = now(), claimed_by = null, fence = fence + 1
    where status = 'pending' and claimed_by is not null`.execute(db);
}

/** Activates parked webhooks that have no delivery left for a trial: what waited for them is gone. */
export async function activateIdleParked(db: Database): Promise<void> {
  await sql`
    update webhooks set status = 'active', parked_until = null, version = version + 1
    where status = 'parked' and parked_until <= now()
      and not exists (select from deliveries where webhook_id = webhooks.id and status = 'pending')`.execute(db);
}

/** The webhooks that have due deliveries. */
export async function selectDueWebhooks(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from webhooks
    where (status = 'active' or status = 'parked' and parked_until <= now())
      and exists (select from deliveries where webhook_id = webhooks.id and status = 'pending' and due_at <= now())`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** What is needed to post to a webhook. */
export interface EndpointRow {
  readonly id: string;
  readonly version: number;
  readonly url: string;
  readonly secret: Buffer;
  readonly oldSecret: Buffer | null;
  readonly oldSecretUntil: Date | null;
  readonly status: WebhookStatus;
  readonly failingSince: Date | null;
  readonly parks: number;
  readonly ordering: WebhookOrdering;
}

export async function selectEndpoints(db: Database, ids: readonly string[]): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    select id, version, url, secret, old_secret as "oldSecret", old_secret_until as "oldSecretUntil", status,
      failing_since as "failingSince", parks, ordering
    from webhooks where id = any(${ids}::text[])`.execute(db);
  return rows;
}

export async function noteRecovered(db: Database, id: string): Promise<void> {
  await sql`
    update webhooks set failing_since = null, parks = 0, parked_until = null, version = version + 1,
      status = case when status = 'parked' then 'active' else status end
    where id = ${id} and (failing_since is not null or status = 'parked')`.execute(db);
}

export async function noteFailing(db: Database, id: string, now: Date): Promise<void> {
  await sql`
    update webhooks set failing_since = ${now}, version = version + 1 where id = ${id} and failing_since is null`.execute(
    db,
  );
}

/** Pauses a webhook for a while. It has its own cursor from then on, at the shared cursor's position. */
export async function parkWebhook(db: Database, id: string, parkedMs: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockCursors(trx);
    await sql`
      update webhooks set status = 'parked', parked_until = now() + ${parkedMs} * interval '1 ms', parks = parks + 1,
        version = version + 1, cursor_xid = coalesce(cursor_xid, head.xid),
        cursor_project_id = coalesce(cursor_project_id, head.project_id), cursor_sequence = coalesce(cursor_sequence, head.sequence)
      from event_cursors as head
      where webhooks.id = ${id} and status <> 'disabled' and head.reader = 'webhooks'`.execute(trx);
  });
}

/** Disables all webhooks of an owner that are no team's; returns their ids. */
export async function disableWebhooksOf(trx: Transaction, ownerId: string, reason: string): Promise<string[]> {
  const rows = await trx
    .selectFrom("webhooks")
    .select("id")
    .where("webhooks.owner_id", "=", ownerId)
    .where("webhooks.team_id", "is", null)
    .orderBy("id")
    .execute();
  for (const { id } of rows) await disableWebhook(trx, id, reason);
  return rows.map(({ id }) => id);
}

/** Sends a webhook nothing until somebody activates it. It has its own cursor from then on, at the shared cursor's position. */
export async function disableWebhook(trx: Transaction, id: string, reason: string): Promise<void> {
  await lockCursors(trx);
  await sql`
    update webhooks set status = 'disabled', disabled_reason = ${reason}, parked_until = null, version = version + 1,
      cursor_xid = coalesce(cursor_xid, head.xid), cursor_project_id = coalesce(cursor_project_id, head.project_id),
      cursor_sequence = coalesce(cursor_sequence, head.sequence), updated_at = now()
    from event_cursors as head
    where webhooks.id = ${id} and status <> 'disabled' and head.reader = 'webhooks'`.execute(trx);
}
