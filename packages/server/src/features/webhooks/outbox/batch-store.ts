import { type RawBuilder, sql } from "kysely";
import type { LogPosition } from "../../../engine/events/index.ts";
import type { Transaction } from "../../../platform/database/index.ts";
import type { DeliveryResult } from "../delivery/delivery-result.ts";
import type { Lease } from "../delivery/delivery-store.ts";
import { type LogPart, type LogRange, readLogFor } from "./log-store.ts";
import { type LastSequence, makeDeliveries } from "./make-deliveries.ts";

type Fragment = RawBuilder<unknown>;

/** What is known of a delivery before it is posted. */
interface DeliveryKey {
  readonly webhookId: string;
  readonly eventId: string;
  readonly event: string;
  readonly projectId: string;
  readonly eventSequence: number;
  readonly sequence: number;
}

/** A delivery that gets a row: with a result it was attempted, claimed it is in flight, otherwise it is due. */
export interface BatchRow {
  readonly delivery: DeliveryKey;
  readonly result?: DeliveryResult | undefined;
  readonly isClaimed: boolean;
}

/** Deliveries of one webhook that arrived at the first attempt, in order, and their attempts. */
export interface BatchRun {
  readonly webhookId: string;
  readonly deliveries: readonly DeliveryKey[];
  readonly attempts: readonly unknown[];
}

/** The ids of a run are consecutive, and the id sequence counts by this many. */
export const maxInRun = 1_024;

/** The row of a delivery that was in flight when its batch was written. */
export interface WrittenLease extends Lease {
  readonly webhookId: string;
  readonly eventId: string;
}

interface WrittenBatch {
  readonly node: string;
  readonly leaseMs: number;
  readonly leadMs: number;
  readonly after: LogPosition;
  readonly upTo: LogPosition;
  readonly lastSequences: readonly LastSequence[];
  readonly runs: readonly BatchRun[];
  readonly rows: readonly BatchRow[];
}

/**
 * Writes a batch and moves the shared cursor; undefined if the cursor is elsewhere by now or another node leads. Nothing is
 * written for webhooks that got their own cursor since the batch was read: they catch up from there.
 */
export async function writeBatch(
  trx: Transaction,
  { node, leaseMs, leadMs, after, upTo, lastSequences, runs, rows }: WrittenBatch,
): Promise<readonly WrittenLease[] | undefined> {
  const webhookIds = [...new Set(lastSequences.map(({ webhookId }) => webhookId))];
  const isMeant = sql`exists (select from moved) and "webhookId" <> all((select ids from detached)::text[])`;
  const answer = await sql<{ isMoved: boolean; leases: WrittenLease[] }>`
    with moved as (
      update event_cursors set xid = ${upTo.xid}::xid8, project_id = ${upTo.projectId}, sequence = ${upTo.sequence},
        lease_expires_at = now() + ${leadMs} * interval '1 ms'
      where reader = 'webhooks' and claimed_by = ${node}
        and (xid, project_id, sequence) = (${after.xid}::xid8, ${after.projectId}, ${after.sequence}::bigint)
      returning reader
    ), detached as materialized (
      select array(
        select id from unnest(${webhookIds}::text[]) as one (id)
        where not exists (select from webhooks where webhooks.id = one.id and cursor_xid is null)
      ) as ids
    ), counted as (${upsertSequences(lastSequences, isMeant)}), arrived as (
      insert into delivered_runs (webhook_id, count, event_ids, events, project_ids, event_sequences, sequences, attempts)
      select "webhookId", cardinality("eventIds"), "eventIds", events, "projectIds", "eventSequences", sequences, attempts
      from json_to_recordset(${JSON.stringify(runs.map(runColumns))}::json) as run (
        "webhookId" text, "eventIds" text[], events text[], "projectIds" text[], "eventSequences" bigint[],
        sequences bigint[], attempts json
      )
      where ${isMeant}
    ), written as (${insertRows(rows, { node, leaseMs }, isMeant)} returning id, fence, webhook_id, event_id, claimed_by)
    select exists (select from moved) as "isMoved", (
      select coalesce(json_agg(json_build_object('id', id, 'fence', fence, 'webhookId', webhook_id, 'eventId', event_id)), '[]')
      from written where claimed_by is not null
    ) as leases`.execute(trx);
  const [row] = answer.rows;
  return row?.isMoved ? row.leases : undefined;
}

/** Reads a part of the log for a webhook that catches up, and writes its deliveries as due. */
export async function writeCatchUp(
  trx: Transaction,
  webhookId: string,
  range: LogRange,
): Promise<LogPart & { readonly count: number }> {
  const part = await readLogFor(trx, webhookId, range);
  const { deliveries, lastSequences } = makeDeliveries(part.events, part.matches);
  const rows = deliveries.map(({ event, sequence }) => ({
    delivery: {
      webhookId,
      eventId: event.id,
      event: event.name,
      projectId: event.projectId,
      eventSequence: event.sequence,
      sequence,
    },
    isClaimed: false,
  }));
  if (rows.length > 0)
    await sql`
      with counted as (${upsertSequences(lastSequences, sql`true`)})
      ${insertRows(rows, { node: "", leaseMs: 0 }, sql`true`)}`.execute(trx);
  return { ...part, count: rows.length };
}

function runColumns({ webhookId, deliveries, attempts }: BatchRun) {
  return {
    webhookId,
    eventIds: deliveries.map(({ eventId }) => eventId),
    events: deliveries.map(({ event }) => event),
    projectIds: deliveries.map(({ projectId }) => projectId),
    eventSequences: deliveries.map(({ eventSequence }) => eventSequence),
    sequences: deliveries.map(({ sequence }) => sequence),
    attempts,
  };
}

function upsertSequences(lastSequences: readonly LastSequence[], isMeant: Fragment): Fragment {
  return sql`
    insert into webhook_sequences (webhook_id, project_id, last)
    select "webhookId", "projectId", last
    from json_to_recordset(${JSON.stringify(lastSequences)}::json) as counted ("webhookId" text, "projectId" text, last bigint)
    where ${isMeant}
    on conflict (webhook_id, project_id) do update set last = excluded.last`;
}

function insertRows(
  rows: readonly BatchRow[],
  { node, leaseMs }: { readonly node: string; readonly leaseMs: number },
  isMeant: Fragment,
): Fragment {
  const columns = rows.map(({ delivery, result, isClaimed }) => {
    const { webhookId, eventId, event, projectId, eventSequence, sequence } = delivery;
    const key = { webhookId, eventId, event, projectId, eventSequence, sequence };
    return { ...key, ...result, isClaimed };
  });
  return sql`
    insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, sequence, status, reason, due_at,
      claimed_by, fence, attempt_count, failures, attempts)
    select "webhookId", "eventId", event, "projectId", "eventSequence", sequence, coalesce(status, 'pending'), reason,
      case when status is null then now() + case when "isClaimed" then ${leaseMs} else 0 end * interval '1 ms'
        else now() + "delayMs" * interval '1 ms' end,
      case when "isClaimed" then ${node} end, (status is not null or "isClaimed")::integer, (attempt is not null)::integer,
      coalesce("isCounted", false)::integer, case when attempt is null then '[]' else jsonb_build_array(attempt) end
    from json_to_recordset(${JSON.stringify(columns)}::json) as delivery (
      "webhookId" text, "eventId" text, event text, "projectId" text, "eventSequence" bigint, sequence bigint, status text,
      reason text, "delayMs" double precision, "isCounted" boolean, attempt jsonb, "isClaimed" boolean
    )
    where ${isMeant}`;
}
