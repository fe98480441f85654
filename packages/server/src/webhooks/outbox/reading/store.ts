import type { EventName } from "@slipway/contract";
import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../../database/index.ts";
import type { LogPlace } from "../../../events/index.ts";
import { type Head, type HeadRow, headColumns, headOf } from "../places/store.ts";

type Fragment = RawBuilder<unknown>;

/** An event of the log, as it is read. */
export interface LogEvent extends LogPlace {
  readonly id: string;
  readonly name: EventName;
  readonly data: Record<string, unknown>;
  readonly happenedAt: Date;
}

/** A webhook that events of a project are for, as it was seen, and the last sequence that it was sent of the project. */
export interface Match {
  readonly webhookId: string;
  readonly version: number;
  readonly keepsOrder: boolean;
  readonly projectId: string;
  readonly counted: number;
  /** Which names; without any, all. */
  readonly names: readonly string[] | undefined;
  /** Ids of events that were there before the webhook was. */
  readonly missed: readonly string[] | undefined;
}

/** Part of the log: after a place, up to another one, and so many. */
export interface Portion {
  readonly after: LogPlace;
  readonly upTo?: LogPlace;
  readonly limit: number;
}

/**
 * A portion of the log as `batch`, and its projects as `told`. Whom it is for is read in the same statement, and so in the same
 * view of the database: whoever is a webhook in it gets what is read in it, and an event that comes later is read later.
 */
function batchOf({ after, upTo, limit }: Portion): Fragment {
  return sql`
    batch as materialized (
      select xid, project_id, sequence, id, name, data, created_at from events
      where (xid, project_id, sequence) > (${after.xid}::xid8, ${after.projectId}, ${after.sequence}::bigint)
        and xid < pg_snapshot_xmin(pg_current_snapshot())
        and (${upTo?.xid ?? null}::xid8 is null
          or (xid, project_id, sequence) <= (${upTo?.xid ?? null}::xid8, ${upTo?.projectId ?? ""}, ${upTo?.sequence ?? 0}::bigint))
      order by xid, project_id, sequence limit ${limit}
    ), told as materialized (
      select read.project_id, projects.owner_id, read.names
      from (select project_id, array_agg(distinct name) as names from batch group by project_id) as read
      left join projects on projects.id = read.project_id
    )`;
}

/** The events, in the order of the log: a line each, with tabs. So written, they cost a quarter of what they do as JSON. */
const eventLines = sql`(
  select string_agg(
    concat_ws(E'\\t', xid, project_id, sequence, id, name, date_part('epoch', created_at), data), E'\\n'
  ) from batch
)`;

/**
 * Whom the events are for, a line for each webhook and project: what does not differ between the events of a project is looked
 * up once for all of them.
 */
function matchLines({ after }: Portion, isReader: Fragment): Fragment {
  return sql`(
    select string_agg(concat_ws(E'\\t', reader.id, reader.version, reader.ordering, told.project_id, coalesce(counted.last, 0),
      fitting.names,
      -- Of a webhook that is older than all of them, nothing need be compared.
      case when pg_snapshot_xmax(reader.born) > ${after.xid}::xid8 then (
        select string_agg(id, ',') from batch
        where batch.project_id = told.project_id and pg_visible_in_snapshot(batch.xid, reader.born)
      ) end), E'\\n')
    from (
      select webhooks.id, version, ordering, events, project_id, born, owner_id, users.name as owner_name,
        users.role in ('svc:admin', 'svc:readonly') as reads_all
      from webhooks join users on users.id = webhooks.owner_id where ${isReader} offset 0
    ) as reader
    join told on reader.project_id is null or reader.project_id = told.project_id
    cross join lateral (
      select case when '*' = any(reader.events) then '*' else (
        select string_agg(name, ',') from unnest(told.names) as name where name = any(reader.events)
      ) end as names offset 0
    ) as fitting
    left join webhook_sequences as counted on counted.webhook_id = reader.id and counted.project_id = told.project_id
    where fitting.names is not null and (reader.reads_all or told.owner_id = reader.owner_id
      or exists (select from approvals where approvals.project_id = told.project_id and reader.owner_name = any(approvers)))
  )`;
}

interface ReadLines {
  readonly events: string | null;
  readonly matches: string | null;
}

/** Events, and whom they are for. */
export interface ReadPortion {
  readonly events: readonly LogEvent[];
  readonly matches: readonly Match[];
}

type EventLine = [xid: string, projectId: string, sequence: string, id: string, name: string, at: string, data: string];
type MatchLine = [
  webhookId: string,
  version: string,
  ordering: string,
  projectId: string,
  counted: string,
  names: string,
  missed?: string,
];

/** Nothing that is read has a tab or a line break in it: ids and names are ours, and JSON writes them otherwise. */
function takeApart({ events, matches }: ReadLines): ReadPortion {
  return {
    events: (events?.split("\n") ?? []).map((line): LogEvent => {
      const [xid, projectId, sequence, id, name, seconds, data] = line.split("\t") as EventLine;
      return {
        xid,
        projectId,
        sequence: Number(sequence),
        id,
        name: name as EventName,
        data: JSON.parse(data),
        // Seconds are not exact to the millisecond where it begins.
        happenedAt: new Date(Math.floor(Number(seconds) * 1000 + 0.0005)),
      };
    }),
    matches: (matches?.split("\n") ?? []).map((line): Match => {
      const [webhookId, version, ordering, projectId, counted, names, missed] = line.split("\t") as MatchLine;
      return {
        webhookId,
        version: Number(version),
        keepsOrder: ordering !== "none",
        projectId,
        counted: Number(counted),
        names: names === "*" ? undefined : names.split(","),
        missed: missed?.split(","),
      };
    }),
  };
}

/** What there is to deliver to those that keep up, with the sequences as they are counted so far; nothing is written. */
export async function readBatch(
  db: Database,
  { node, ...portion }: Portion & { readonly node: string },
): Promise<ReadPortion & { readonly head: Head & { readonly isMine: boolean } }> {
  const { rows } = await sql<HeadRow & ReadLines & { isMine: boolean }>`
    with ${batchOf(portion)}
    select ${headColumns}, (held_by = ${node} and held_until > now()) is true as "isMine", ${eventLines} as events,
      ${matchLines(portion, sql`webhooks.cursor_xid is null`)} as matches
    from event_cursors where reader = 'webhooks'`.execute(db);
  const { isMine, events, matches, ...head } = rows[0]!;
  return { head: { ...headOf(head), isMine }, ...takeApart({ events, matches }) };
}

/** What there is for one webhook, after its own place. */
export async function readFor(trx: Transaction, webhookId: string, portion: Portion): Promise<ReadPortion> {
  const { rows } = await sql<ReadLines>`
    with ${batchOf(portion)}
    select ${eventLines} as events, ${matchLines(portion, sql`webhooks.id = ${webhookId}`)} as matches`.execute(trx);
  return takeApart(rows[0]!);
}
