import type { EventName } from "@slipway/contract";
import { type RawBuilder, sql } from "kysely";
import type { LogPosition } from "../../../engine/events/index.ts";
import type { Database, Transaction } from "../../../platform/database/index.ts";
import { readableByUser } from "../../projects/index.ts";
import { type Head, type HeadRow, headColumns, headOf } from "./cursor-store.ts";
import { wholePart } from "./whole-part.ts";

type Fragment = RawBuilder<unknown>;

/** So many times as much is read at once where nothing can be told in order. */
const maxTimesLimit = 32;

/** An event of the log, as it is read. */
export interface LogEvent extends LogPosition {
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
  readonly after: LogPosition;
  readonly upTo?: LogPosition;
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

/** The events, a line each, with tabs; in the order of the log, because `batch` is and nothing sorts it anew. So written, they cost a quarter of what they do as JSON. */
const eventLines = sql`(
  select string_agg(
    concat_ws(E'\\t', xid, project_id, sequence, id, name, date_part('epoch', created_at), data), E'\\n'
  ) from batch
)`;

const mayRead = readableByUser(
  { id: "reader.owner_id", name: "reader.owner_name", role: "reader.role" },
  { id: "told.project_id", ownerId: "told.owner_id" },
);

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
      select webhooks.id, version, ordering, events, project_id, born, owner_id, users.name as owner_name, users.role
      from webhooks join users on users.id = webhooks.owner_id where ${isReader} offset 0
    ) as reader
    join told on reader.project_id is null or reader.project_id = told.project_id
    cross join lateral (
      select case when '*' = any(reader.events) then '*' else (
        select string_agg(name, ',') from unnest(told.names) as name where name = any(reader.events)
      ) end as names offset 0
    ) as fitting
    left join webhook_sequences as counted on counted.webhook_id = reader.id and counted.project_id = told.project_id
    where fitting.names is not null and ${mayRead}
  )`;
}

/** Events that have to wait, a line each: the one before them in their project comes after all that was read, or cannot be read yet. */
const tornLines = sql`(
  select string_agg(
    concat_ws(E'\\t', part.project_id, part.sequence, missing.xid >= pg_snapshot_xmin(pg_current_snapshot())), E'\\n'
  )
  from (select project_id, sequence, lag(sequence) over (partition by project_id order by sequence) as previous from batch) as part
  join events as missing on missing.project_id = part.project_id and missing.sequence = part.sequence - 1
  where previous is distinct from part.sequence - 1 and missing.xid > (select xid from batch order by xid desc limit 1)
)`;

interface ReadLines {
  readonly events: string | null;
  readonly matches: string | null;
  readonly torn: string | null;
}

/** Events, and whom they are for. */
export interface Told {
  readonly events: readonly LogEvent[];
  readonly matches: readonly Match[];
}

/** Events that can be told in their order, and whether there may be more after them. */
export interface ReadPortion extends Told {
  readonly hasMore: boolean;
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
function takeApart({ events, matches }: Omit<ReadLines, "torn">): Told {
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

/**
 * Reads as much as can be told in order. Where nothing can, and what is missing cannot be read yet, it is waited for; else more is
 * read at once, because it comes later. Up to a bound: then order is given up, not the events.
 */
async function readWhole<L extends ReadLines>(
  limit: number,
  read: (limit: number) => Promise<L>,
): Promise<{ readonly lines: L; readonly portion: ReadPortion }> {
  for (let size = limit; ; size *= 2) {
    const lines = await read(size);
    const { events, matches } = takeApart(lines);
    const isFull = events.length >= size;
    const { torn, isHeldBack } = readTorn(lines.torn);
    const whole = wholePart(events, torn);
    if (whole.length > 0 || isHeldBack || !isFull)
      return { lines, portion: { events: whole, matches, hasMore: isFull || whole.length < events.length } };
    if (size > limit * maxTimesLimit) return { lines, portion: { events, matches, hasMore: true } };
  }
}

function readTorn(lines: string | null): { readonly torn: ReadonlyMap<string, number>; readonly isHeldBack: boolean } {
  const torn = new Map<string, number>();
  let isHeldBack = false;
  for (const line of lines?.split("\n") ?? []) {
    const [projectId, sequence, cannotBeRead] = line.split("\t") as [string, string, "t" | "f"];
    torn.set(projectId, Math.min(Number(sequence), torn.get(projectId) ?? Infinity));
    isHeldBack ||= cannotBeRead === "t";
  }
  return { torn, isHeldBack };
}

/** What there is to deliver to those that keep up, with the sequences as they are counted so far; nothing is written. */
export async function readBatch(
  db: Database,
  { node, limit, ...from }: Portion & { readonly node: string },
): Promise<ReadPortion & { readonly head: Head & { readonly isMine: boolean } }> {
  const { lines, portion } = await readWhole(limit, async (size) => {
    const wanted = { ...from, limit: size };
    const { rows } = await sql<HeadRow & ReadLines & { isMine: boolean }>`
      with ${batchOf(wanted)}
      select ${headColumns}, (claimed_by = ${node} and lease_expires_at > now()) is true as "isMine", ${eventLines} as events,
        ${matchLines(wanted, sql`webhooks.cursor_xid is null`)} as matches, ${tornLines} as torn
      from event_cursors where reader = 'webhooks'`.execute(db);
    return rows[0]!;
  });
  const { isMine, events: _, matches: __, torn: ___, ...head } = lines;
  return { head: { ...headOf(head), isMine }, ...portion };
}

/** What there is for one webhook, after its own place. */
export async function readFor(trx: Transaction, webhookId: string, { limit, ...from }: Portion): Promise<ReadPortion> {
  const { portion } = await readWhole(limit, async (size) => {
    const wanted = { ...from, limit: size };
    const { rows } = await sql<ReadLines>`
      with ${batchOf(wanted)}
      select ${eventLines} as events, ${matchLines(wanted, sql`webhooks.id = ${webhookId}`)} as matches, ${tornLines} as torn`.execute(
      trx,
    );
    return rows[0]!;
  });
  return portion;
}
