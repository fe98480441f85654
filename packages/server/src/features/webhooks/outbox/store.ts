import type { WebhookEventName } from "@slipway/contract";
import { type RawBuilder, sql } from "kysely";
import type { LogPosition } from "../../../engine/events/index.ts";
import type { Transaction } from "../../../platform/database/index.ts";
import type { Ending } from "../delivery/claimed.ts";
import { type LogEvent, type Portion, readFor } from "./log-store.ts";
import { makeDeliveries } from "./make-deliveries.ts";

type Fragment = RawBuilder<unknown>;

/** What is known of a delivery before it is posted. */
interface NewDelivery {
  readonly webhookId: string;
  readonly eventId: string;
  readonly event: WebhookEventName;
  readonly projectId: string;
  readonly eventSequence: number;
  readonly sequence: number;
}

/** A delivery of a batch that did not arrive at once: what became of it, or that it is being posted, or that it is due. */
export interface BatchRow extends Partial<Omit<Ending, "status">> {
  readonly delivery: NewDelivery;
  readonly state: Exclude<Ending["status"], "delivered"> | "taken" | "due";
}

/** Deliveries of one webhook that arrived at once, in order, and the attempt of each as JSON. */
export interface BatchRun {
  readonly webhookId: string;
  readonly deliveries: readonly NewDelivery[];
  readonly attempts: readonly string[];
}

/** Ids of a run follow each other, and this far apart are any two numbers that the database gives. */
export const maxInRun = 1_024;

/** The last sequence of a project at a webhook. */
export interface Counted {
  readonly webhookId: string;
  readonly projectId: string;
  readonly last: number;
}

/** A delivery that was written and has not ended; not taken: it is due. */
export interface WrittenDelivery {
  readonly id: number;
  readonly webhookId: string;
  readonly eventId: string;
  readonly isTaken: boolean;
}

/** A portion of the log that was read, what became of it, and who is at it. */
interface WrittenBatch {
  readonly node: string;
  readonly leaseMs: number;
  readonly leadMs: number;
  readonly after: LogPosition;
  readonly upTo: LogPosition;
  readonly runs: readonly BatchRun[];
  readonly rows: readonly BatchRow[];
  readonly counted: readonly Counted[];
}

/**
 * Writes what was read and what became of it, and moves the head there. Nothing is written if the head is elsewhere by now, or
 * somebody else's; and nothing for webhooks that have a place of their own since it was read: they go on from there.
 */
export async function writeBatch(
  trx: Transaction,
  { node, leaseMs, leadMs, after, upTo, runs, rows, counted }: WrittenBatch,
): Promise<readonly WrittenDelivery[] | undefined> {
  const isMeant = sql`exists (select from moved) and webhook_id <> all((select ids from others)::text[])`;
  const answer = await sql<{ isMoved: boolean; written: WrittenDelivery[] | null }>`
    with moved as (
      update event_cursors set xid = ${upTo.xid}::xid8, project_id = ${upTo.projectId}, sequence = ${upTo.sequence},
        lease_expires_at = now() + ${leadMs} * interval '1 ms'
      where reader = 'webhooks' and claimed_by = ${node}
        and (xid, project_id, sequence) = (${after.xid}::xid8, ${after.projectId}, ${after.sequence}::bigint)
      returning reader
    ), others as materialized (
      -- Mostly none: who keeps up need not be looked for in a list of all that do.
      select array(
        select id from unnest(${[...new Set(counted.map(({ webhookId }) => webhookId))]}::text[]) as one (id)
        where not exists (select from webhooks where webhooks.id = one.id and cursor_xid is null)
      ) as ids
    ), counted as (
      ${insertCounted(counted)} where ${isMeant}
      on conflict (webhook_id, project_id) do update set last = excluded.last
    ), arrived as (
      insert into delivered_runs (webhook_id, count, event_ids, events, project_ids, event_sequences, sequences, attempts)
      select webhook_id, count, string_to_array(event_ids, E'\\n'), string_to_array(events, E'\\n'),
        string_to_array(project_ids, E'\\n'), event_sequences::bigint[], sequences::bigint[], attempts
      from unnest(
        ${lines(runs, ({ webhookId }) => webhookId)}, ${numbers(runs, ({ deliveries }) => deliveries.length)}::integer[],
        ${blocks(runs, ({ eventId }) => eventId)}, ${blocks(runs, ({ event }) => event)},
        ${blocks(runs, ({ projectId }) => projectId)},
        ${lines(runs, ({ deliveries }) => numbers(deliveries, ({ eventSequence }) => eventSequence))},
        ${lines(runs, ({ deliveries }) => numbers(deliveries, ({ sequence }) => sequence))},
        string_to_array(${runs.map(({ attempts }) => attempts.join("\n")).join("\x1e")}, E'\\x1e')
      ) as run (webhook_id, count, event_ids, events, project_ids, event_sequences, sequences, attempts)
      where ${isMeant}
    ), written as (
      insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, sequence, status, reason, due_at,
        claimed_by, fence, attempt_count, failures, attempts)
      select webhook_id, event_id, event, project_id, event_sequence, sequence,
        case when state in ('taken', 'due') then 'pending' else state end, reason,
        case state when 'due' then now() when 'taken' then now() + ${leaseMs} * interval '1 ms'
          else now() + delay_ms * interval '1 ms' end,
        case when state = 'taken' then ${node} end, (state <> 'due')::integer, (attempts <> '[]')::integer, failures,
        attempts::jsonb
      from unnest(
        ${columnsOf(rows.map(({ delivery }) => delivery))}, ${lines(rows, ({ state }) => state)},
        ${rows.map(({ reason }) => reason ?? null)}::text[],
        ${numbers(rows, ({ delayMs }) => delayMs ?? null)}::double precision[],
        ${numbers(rows, ({ isCounted }) => (isCounted ? 1 : 0))}::integer[],
        ${lines(rows, ({ attempt }) => (attempt ? `[${JSON.stringify(attempt)}]` : "[]"))}
      ) as delivery (webhook_id, event_id, event, project_id, event_sequence, sequence, state, reason, delay_ms, failures, attempts)
      where ${isMeant}
      returning id, webhook_id, event_id, fence, claimed_by
    )
    select exists (select from moved) as "isMoved", (
      select json_agg(json_build_object('id', id, 'webhookId', webhook_id, 'eventId', event_id, 'isTaken', claimed_by is not null))
      from written where claimed_by is not null or fence = 0
    ) as written`.execute(trx);
  const [row] = answer.rows;
  return row?.isMoved ? (row.written ?? []) : undefined;
}

function insertCounted(counted: readonly Counted[]): Fragment {
  return sql`
    insert into webhook_sequences (webhook_id, project_id, last)
    select webhook_id, project_id, last from unnest(
      ${lines(counted, ({ webhookId }) => webhookId)}, ${lines(counted, ({ projectId }) => projectId)},
      ${numbers(counted, ({ last }) => last)}::bigint[]
    ) as counted (webhook_id, project_id, last)`;
}

function columnsOf(deliveries: readonly NewDelivery[]): Fragment {
  return sql`
    ${lines(deliveries, ({ webhookId }) => webhookId)}, ${lines(deliveries, ({ eventId }) => eventId)},
    ${lines(deliveries, ({ event }) => event)}, ${lines(deliveries, ({ projectId }) => projectId)},
    ${numbers(deliveries, ({ eventSequence }) => eventSequence)}::bigint[],
    ${numbers(deliveries, ({ sequence }) => sequence)}::bigint[]`;
}

/** Texts without line breaks as an array: so written, they are taken apart faster than out of an array of their own. */
function lines<T>(all: readonly T[], textOf: (one: T) => string): Fragment {
  return sql`string_to_array(${all.map(textOf).join("\n")}, E'\\n')`;
}

/** Lines of each run, to be taken apart where they are written. */
function blocks(runs: readonly BatchRun[], textOf: (one: NewDelivery) => string): Fragment {
  return sql`string_to_array(${runs.map(({ deliveries }) => deliveries.map(textOf).join("\n")).join("\x1e")}, E'\\x1e')`;
}

function numbers<T>(all: readonly T[], numberOf: (one: T) => number | null): string {
  return `{${all.map((one) => numberOf(one) ?? "null").join(",")}}`;
}

/** Which deliveries may be written as taken already: so many, by who remembers that version of the webhook. */
interface Offer {
  readonly node: string;
  readonly leaseMs: number;
  readonly version: number;
  readonly slots: number;
}

/** A delivery that was written; taken already, or due. */
interface CaughtUp {
  readonly id: number;
  readonly event: LogEvent;
  readonly sequence: number;
  readonly isTaken: boolean;
}

/** Reads a portion of the log for one webhook that catches up, and writes its deliveries. */
export async function writeCatchUp(
  trx: Transaction,
  webhookId: string,
  { offer, ...portion }: Portion & { readonly offer: Offer },
): Promise<{ events: readonly LogEvent[]; hasMore: boolean; deliveries: readonly CaughtUp[] }> {
  const read = await readFor(trx, webhookId, portion);
  const { events, hasMore } = read;
  const { deliveries, counts } = makeDeliveries(read, (event, match, number) => ({ event, match, number }));
  if (deliveries.length === 0) return { events, hasMore, deliveries: [] };
  const counted = read.matches.flatMap(({ projectId, counted }, at) =>
    counts[at] === 0 ? [] : [{ webhookId, projectId, last: counted + counts[at]! }],
  );
  const made = deliveries.map(({ event, match, number }, at) => ({
    event,
    sequence: match.counted + number,
    isTaken: match.version === offer.version && !match.keepsOrder && at < offer.slots,
  }));
  const columns = made.map(({ event, sequence }) => ({
    webhookId,
    eventId: event.id,
    event: event.name,
    projectId: event.projectId,
    eventSequence: event.sequence,
    sequence,
  }));
  const { rows } = await sql<{ id: number }>`
    with counted as (
      ${insertCounted(counted)} on conflict (webhook_id, project_id) do update set last = excluded.last
    )
    insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, sequence, due_at, claimed_by, fence)
    select webhook_id, event_id, event, project_id, event_sequence, sequence,
      case taken when 1 then now() + ${offer.leaseMs} * interval '1 ms' else now() end,
      case taken when 1 then ${offer.node} end, taken
    from unnest(${columnsOf(columns)}, ${numbers(made, ({ isTaken }) => Number(isTaken))}::integer[])
      as delivery (webhook_id, event_id, event, project_id, event_sequence, sequence, taken)
    returning id`.execute(trx);
  return { events, hasMore, deliveries: made.map((one, at) => ({ ...one, id: rows[at]!.id })) };
}
