import type { EventName, WebhookEventName } from "@slipway/contract";
import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/index.ts";
import type { LogPlace } from "../../events/index.ts";
import type { Ending } from "../delivery/held.ts";
import { type Head, type HeadRow, headColumns, headOf } from "./places/store.ts";

type Fragment = RawBuilder<unknown>;

/** An event of the log, as it is read. */
export interface LogEvent extends LogPlace {
  readonly id: string;
  readonly name: EventName;
  readonly data: Record<string, unknown>;
  /** A time as the database writes it. */
  readonly createdAt: string;
}

/** Whom an event is for: the webhook as it was seen, and the event's place in what it gets of the project. */
export type Match = readonly [eventId: string, webhookId: string, version: number, sequence: number];

/** Part of the log: after a place, up to another one, and so many. */
interface Portion {
  readonly after: LogPlace;
  readonly upTo?: LogPlace;
  readonly limit: number;
}

/**
 * A portion of the log as `batch`, and as `matched` whom it is for. Within one statement, and so one view of the database:
 * whoever is a webhook in it gets what is read in it, and an event that comes later is read later. Nothing of these is joined
 * with one another: the planner expects one row of them, and would compare each with each.
 */
function matchedIn({ after, upTo, limit }: Portion, isReader: Fragment): Fragment {
  return sql`
    batch as materialized (
      select read.*, projects.owner_id,
        -- In the order of the log, but never before what came before it in its project.
        max(place) over (partition by read.project_id order by read.sequence) as turn
      from (
        select xid, project_id, sequence, id, name, data, created_at,
          row_number() over (order by xid, project_id, sequence) as place
        from events
        where (xid, project_id, sequence) > (${after.xid}::xid8, ${after.projectId}, ${after.sequence}::bigint)
          and xid < pg_snapshot_xmin(pg_current_snapshot())
          and (${upTo?.xid ?? null}::xid8 is null
            or (xid, project_id, sequence) <= (${upTo?.xid ?? null}::xid8, ${upTo?.projectId ?? ""}, ${upTo?.sequence ?? 0}::bigint))
        order by xid, project_id, sequence limit ${limit}
      ) as read left join projects on projects.id = read.project_id
    ), matched as materialized (
      select webhooks.id as webhook_id, webhooks.version, webhooks.ordering,
        batch.turn, batch.project_id, batch.sequence as event_sequence, batch.id as event_id, batch.name,
        coalesce(counted.last, 0)
          + row_number() over (partition by webhooks.id, batch.project_id order by batch.sequence) as sequence
      from webhooks
      join users on users.id = webhooks.owner_id
      join batch on ('*' = any(webhooks.events) or batch.name = any(webhooks.events))
        and (webhooks.project_id is null or webhooks.project_id = batch.project_id)
      left join webhook_sequences as counted on counted.webhook_id = webhooks.id and counted.project_id = batch.project_id
      where ${isReader}
        and not pg_visible_in_snapshot(batch.xid, webhooks.born)
        and (users.role in ('svc:admin', 'svc:readonly') or batch.owner_id = users.id
          or exists (select from approvals where approvals.project_id = batch.project_id and users.name = any(approvers)))
    )`;
}

const readEvents = sql`
  select json_agg(json_build_object('xid', xid::text, 'projectId', project_id, 'sequence', sequence, 'id', id, 'name', name,
    'data', data, 'createdAt', created_at) order by xid, project_id, sequence) from batch`;

/** What there is to deliver to those that keep up, with the sequences as they are counted so far; nothing is written. */
export async function readBatch(
  db: Database,
  { node, ...portion }: Portion & { readonly node: string },
): Promise<{ head: Head & { readonly isMine: boolean }; events: readonly LogEvent[]; matches: readonly Match[] }> {
  const { rows } = await sql<HeadRow & { isMine: boolean; events: LogEvent[] | null; matches: Match[] | null }>`
    with ${matchedIn(portion, sql`webhooks.cursor_xid is null`)}
    select ${headColumns}, (held_by = ${node} and held_until > now()) is true as "isMine", (${readEvents}) as events, (
      select json_agg(json_build_array(event_id, webhook_id, version, sequence) order by turn, event_sequence)
      from matched
    ) as matches
    from event_cursors where reader = 'webhooks'`.execute(db);
  const { isMine, events, matches, ...head } = rows[0]!;
  return { head: { ...headOf(head), isMine }, events: events ?? [], matches: matches ?? [] };
}

/** A delivery of a batch: what became of it, or that it is being posted, or that it is due. */
export interface BatchDelivery extends Partial<Omit<Ending, "status">> {
  readonly webhookId: string;
  readonly eventId: string;
  readonly event: WebhookEventName;
  readonly projectId: string;
  readonly eventSequence: number;
  readonly sequence: number;
  readonly state: Ending["status"] | "taken" | "due";
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
  readonly after: LogPlace;
  readonly upTo: LogPlace;
  readonly deliveries: readonly BatchDelivery[];
}

/**
 * Writes what was read and what became of it, and moves the head there. Nothing is written if the head is elsewhere by now, or
 * somebody else's; and nothing for webhooks that have a place of their own since it was read: they go on from there.
 */
export async function writeBatch(
  trx: Transaction,
  { node, leaseMs, leadMs, after, upTo, deliveries }: WrittenBatch,
): Promise<readonly WrittenDelivery[] | undefined> {
  const counted = new Map(deliveries.map((one) => [`${one.webhookId} ${one.projectId}`, one]));
  const last = [...counted.values()];
  const { rows } = await sql<{ isMoved: boolean; written: WrittenDelivery[] | null }>`
    with moved as (
      update event_cursors set xid = ${upTo.xid}::xid8, project_id = ${upTo.projectId}, sequence = ${upTo.sequence},
        held_until = now() + ${leadMs} * interval '1 ms'
      where reader = 'webhooks' and held_by = ${node}
        and (xid, project_id, sequence) = (${after.xid}::xid8, ${after.projectId}, ${after.sequence}::bigint)
      returning reader
    ), followers as materialized (
      select array(
        select id from webhooks
        where id = any(${[...new Set(last.map(({ webhookId }) => webhookId))]}::text[]) and cursor_xid is null
          and exists (select from moved)
      ) as ids
    ), counted as (
      insert into webhook_sequences (webhook_id, project_id, last)
      select webhook_id, project_id, last
      from unnest(
        ${lines(last, ({ webhookId }) => webhookId)}, ${lines(last, ({ projectId }) => projectId)},
        ${numbers(last, ({ sequence }) => sequence)}::bigint[]
      ) as counted (webhook_id, project_id, last)
      where webhook_id = any((select ids from followers)::text[])
      on conflict (webhook_id, project_id) do update set last = excluded.last
    ), written as (
      insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, sequence, status, reason, due_at,
        claimed_by, fence, attempt_count, failures, attempts, delivered_at)
      select webhook_id, event_id, event, project_id, event_sequence, sequence,
        case when state in ('taken', 'due') then 'pending' else state end, reason,
        case state when 'due' then now() when 'taken' then now() + ${leaseMs} * interval '1 ms'
          else now() + delay_ms * interval '1 ms' end,
        case when state = 'taken' then ${node} end, (state <> 'due')::integer, (attempts <> '[]')::integer, failures,
        attempts::jsonb, case when state = 'delivered' then now() end
      from unnest(
        ${lines(deliveries, ({ webhookId }) => webhookId)}, ${lines(deliveries, ({ eventId }) => eventId)},
        ${lines(deliveries, ({ event }) => event)}, ${lines(deliveries, ({ projectId }) => projectId)},
        ${numbers(deliveries, ({ eventSequence }) => eventSequence)}::bigint[],
        ${numbers(deliveries, ({ sequence }) => sequence)}::bigint[], ${lines(deliveries, ({ state }) => state)},
        ${deliveries.map(({ reason }) => reason ?? null)}::text[],
        ${numbers(deliveries, ({ delayMs }) => delayMs ?? null)}::double precision[],
        ${numbers(deliveries, ({ isCounted }) => (isCounted ? 1 : 0))}::integer[],
        ${lines(deliveries, ({ attempt }) => (attempt ? `[${JSON.stringify(attempt)}]` : "[]"))}
      ) as delivery (webhook_id, event_id, event, project_id, event_sequence, sequence, state, reason, delay_ms, failures, attempts)
      where webhook_id = any((select ids from followers)::text[])
      returning id, webhook_id, event_id, fence, claimed_by
    )
    select exists (select from moved) as "isMoved", (
      select json_agg(json_build_object('id', id, 'webhookId', webhook_id, 'eventId', event_id, 'isTaken', claimed_by is not null))
      from written where claimed_by is not null or fence = 0
    ) as written`.execute(trx);
  const [row] = rows;
  return row?.isMoved ? (row.written ?? []) : undefined;
}

/** Texts without line breaks as an array: so written, they are taken apart faster than out of an array of their own. */
function lines<T>(all: readonly T[], textOf: (one: T) => string): Fragment {
  return sql`string_to_array(${all.map(textOf).join("\n")}, E'\\n')`;
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

type CaughtUp = readonly [eventId: string, id: number, sequence: number, isTaken: boolean];

/** Reads a portion of the log for one webhook that catches up, and writes its deliveries. */
export async function writeCatchUp(
  trx: Transaction,
  webhookId: string,
  { offer, ...portion }: Portion & { readonly offer: Offer },
): Promise<{ events: readonly LogEvent[]; deliveries: readonly CaughtUp[] }> {
  const { rows } = await sql<{ events: LogEvent[] | null; deliveries: CaughtUp[] | null }>`
    with ${matchedIn(portion, sql`webhooks.id = ${webhookId}`)}, counted as (
      insert into webhook_sequences (webhook_id, project_id, last)
      select webhook_id, project_id, max(sequence) from matched group by webhook_id, project_id
      on conflict (webhook_id, project_id) do update set last = excluded.last
    ), written as (
      insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, sequence, due_at, claimed_by, fence)
      select webhook_id, event_id, name, project_id, event_sequence, sequence,
        case when is_taken then now() + ${offer.leaseMs} * interval '1 ms' else now() end,
        case when is_taken then ${offer.node} end, is_taken::integer
      from (
        select *, version = ${offer.version} and ordering = 'none'
          and row_number() over (order by turn, event_sequence) <= ${offer.slots} as is_taken
        from matched
      ) as matched
      order by turn, event_sequence
      returning id, event_id, sequence, claimed_by is not null as is_taken
    )
    select (${readEvents}) as events,
      (select json_agg(json_build_array(event_id, id, sequence, is_taken)) from written) as deliveries`.execute(trx);
  return { events: rows[0]?.events ?? [], deliveries: rows[0]?.deliveries ?? [] };
}
