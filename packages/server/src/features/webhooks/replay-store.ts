import type { WebhookEventName } from "@slipway/contract";
import { sql } from "kysely";
import { type Database, plannedAnew, type Transaction } from "../../platform/database/index.ts";
import { readableByWebhook } from "../projects/index.ts";
import { redeliver } from "./history-store.ts";

/** A part of the events that a webhook's owner may read. */
export interface ReplayRange {
  readonly webhookId: string;
  readonly since: Date;
  readonly until: Date;
  /** Names or `*`; null: those of the webhook. */
  readonly events: readonly string[] | null;
  readonly projectId: string | null;
  readonly sequenceFrom: number | null;
  readonly sequenceTo: number | null;
}

export interface ReplayedEvent {
  readonly id: string;
  readonly name: WebhookEventName;
  readonly projectId: string;
  readonly eventSequence: number;
  readonly createdAt: Date;
  /** Its delivery, if there is one, and the sequence of that. */
  readonly deliveryId: number | null;
  readonly sequence: number | null;
}

/** The events to send again, in their order. */
export async function selectReplayed(
  db: Database | Transaction,
  { webhookId, since, until, events, projectId, sequenceFrom, sequenceTo }: ReplayRange,
  limit: number,
): Promise<ReplayedEvent[]> {
  const mayEndSoon = sequenceFrom === null && sequenceTo === null;
  const { rows } = await sql<ReplayedEvent>`
    ${plannedAnew}
    with found as materialized (
      select events.xid, events.id, events.name, events.project_id, events.sequence as event_sequence, events.created_at,
        deliveries.id as delivery_id, deliveries.sequence
      from events
      join webhooks on webhooks.id = ${webhookId}
      join users on users.id = webhooks.owner_id
      join projects on projects.id = events.project_id
      left join deliveries on deliveries.webhook_id = webhooks.id and deliveries.project_id = events.project_id
        and deliveries.event_sequence = events.sequence
      where events.created_at >= ${since} and events.created_at < ${until}
        and (webhooks.project_id is null or webhooks.project_id = events.project_id)
        and (${projectId}::text is null or events.project_id = ${projectId})
        and ('*' = any(coalesce(${events}::text[], webhooks.events)) or events.name = any(coalesce(${events}::text[], webhooks.events)))
        and ${readableByWebhook()}
      order by events.xid, events.project_id, events.sequence limit ${mayEndSoon ? limit : null}
    ), either as (
      select * from found
      union all
      -- What arrived in runs: sorted beside the events rather than joined with them, so that no plan compares each with each.
      select null, null, null, project_id, event_sequence, null, run.id + position - 1, sequence
      from delivered_runs as run
      cross join lateral unnest(project_ids, event_sequences, sequences) with ordinality
        as member (project_id, event_sequence, sequence, position)
      where run.webhook_id = ${webhookId} and (${projectId}::text is null or project_id = ${projectId})
        and event_sequence between (select min(event_sequence) from found where delivery_id is null)
          and (select max(event_sequence) from found where delivery_id is null)
    ), known as (
      select xid, id, name, project_id, event_sequence, created_at,
        max(delivery_id) over same as delivery_id, max(sequence) over same as sequence
      from either window same as (partition by project_id, event_sequence)
    )
    select id, name, project_id as "projectId", event_sequence as "eventSequence", created_at as "createdAt",
      delivery_id as "deliveryId", sequence
    from known
    where id is not null and (${sequenceFrom}::bigint is null or sequence >= ${sequenceFrom})
      and (${sequenceTo}::bigint is null or sequence <= ${sequenceTo})
    order by xid, project_id, event_sequence limit ${limit}`.execute(db);
  return rows;
}

/** Makes a delivery of each event due: the one there is, or a new one. */
export async function replayEvents(
  trx: Transaction,
  webhookId: string,
  events: readonly ReplayedEvent[],
): Promise<void> {
  const known = events.flatMap(({ deliveryId }) => (deliveryId === null ? [] : [deliveryId]));
  const fresh = events.filter(({ deliveryId }) => deliveryId === null);
  await redeliver(trx, known);
  await sql`
    insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, due_at)
    select ${webhookId}, id, name, project, sequence, now()
    from unnest(
      ${fresh.map(({ id }) => id)}::text[], ${fresh.map(({ name }) => name)}::text[],
      ${fresh.map(({ projectId }) => projectId)}::text[], ${fresh.map(({ eventSequence }) => eventSequence)}::bigint[]
    ) with ordinality as event (id, name, project, sequence, position)
    order by position`.execute(trx);
}
