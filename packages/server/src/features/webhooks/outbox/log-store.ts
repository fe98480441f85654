import type { EventName } from "@slipway/contract";
import { type RawBuilder, sql } from "kysely";
import type { LogPosition } from "../../../engine/events/index.ts";
import type { Database, Transaction } from "../../../platform/database/index.ts";
import { readableByWebhook } from "../../projects/index.ts";
import { followerCount } from "./cursor-store.ts";
import { completePrefix } from "./project-order.ts";

type Fragment = RawBuilder<unknown>;

/** Where no event can be delivered in order, more is read at once, up to so many times the limit. */
const maxTimesLimit = 32;

/** An event of the log, as it is read. */
export interface LogEvent extends LogPosition {
  readonly id: string;
  readonly name: EventName;
  readonly data: Record<string, unknown>;
  readonly happenedAtMs: number;
}

/** A webhook that receives events of a project. */
export interface Match {
  readonly webhookId: string;
  readonly version: number;
  readonly projectId: string;
  /** The last `webhook-sequence` of the project at the webhook. */
  readonly lastSequence: number;
  /** The names that it receives; null: all. */
  readonly names: readonly string[] | null;
  /** Ids of events that are older than the webhook. */
  readonly missed: readonly string[] | null;
}

/** An event that must wait: the one before it in its project was not read, or cannot be read yet. */
interface Gap {
  readonly projectId: string;
  readonly sequence: number;
  readonly isHeldBack: boolean;
}

interface ReadRow {
  readonly events: readonly LogEvent[];
  readonly matches: readonly Match[];
  readonly gaps: readonly Gap[];
}

/** Events that can be delivered in their projects' order, and the webhooks that receive them. */
export interface LogPart {
  readonly events: readonly LogEvent[];
  readonly matches: readonly Match[];
  /** More can be read at once. */
  readonly hasMore: boolean;
}

export interface SharedLogPart extends LogPart {
  readonly isLeader: boolean;
  readonly followers: number;
  /** The shared cursor. */
  readonly after: LogPosition;
  /** Nothing can be read yet, though there are events: an older transaction is open. */
  readonly isHeldBack: boolean;
}

/** Reads on from the shared cursor. Writes nothing. */
export async function readLog(db: Database, node: string, limit: number): Promise<SharedLogPart> {
  const { row, ...part } = await readInOrder(limit, async (size) => {
    const after = sql`(select xid, project_id, sequence from head)`;
    const { rows } = await sql<ReadRow & Omit<SharedLogPart, keyof LogPart>>`
      with head as materialized (
        select xid, project_id, sequence, claimed_by, lease_expires_at from event_cursors where reader = 'webhooks'
      ), batch as materialized (${selectEvents(after, size)}), read_projects as materialized (${selectReadProjects})
      select (claimed_by = ${node} and lease_expires_at > now()) is true as "isLeader", ${followerCount} as followers,
        json_build_object('xid', xid::text, 'projectId', project_id, 'sequence', sequence) as after,
        exists (select from events where (xid, project_id, sequence) > ${after}) as "isHeldBack",
        ${eventsJson} as events, ${matchesJson(sql`webhooks.cursor_xid is null`)} as matches, ${gapsJson} as gaps
      from head`.execute(db);
    return rows[0]!;
  });
  const { isLeader, followers, after, isHeldBack } = row;
  return { ...part, isLeader, followers, after, isHeldBack: isHeldBack && part.events.length === 0 };
}

export interface LogRange {
  readonly after: LogPosition;
  readonly upTo: LogPosition;
  readonly limit: number;
}

/** Reads a range of the log for one webhook that catches up. */
export async function readLogFor(
  trx: Transaction,
  webhookId: string,
  { after, upTo, limit }: LogRange,
): Promise<LogPart> {
  const position = ({ xid, projectId, sequence }: LogPosition) =>
    sql`(${xid}::xid8, ${projectId}, ${sequence}::bigint)`;
  const { row: _, ...part } = await readInOrder(limit, async (size) => {
    const { rows } = await sql<ReadRow>`
      with batch as materialized (${selectEvents(position(after), size, position(upTo))}),
        read_projects as materialized (${selectReadProjects})
      select ${eventsJson} as events, ${matchesJson(sql`webhooks.id = ${webhookId}`)} as matches, ${gapsJson} as gaps`.execute(
      trx,
    );
    return rows[0]!;
  });
  return part;
}

/**
 * Reads as much as can be delivered in order. Where nothing can, it waits for an older transaction that is open; if there is
 * none, it reads more at once. After a bound it gives up the order, not the events.
 */
async function readInOrder<R extends ReadRow>(
  limit: number,
  read: (limit: number) => Promise<R>,
): Promise<LogPart & { readonly row: R }> {
  for (let size = limit; ; size *= 2) {
    const row = await read(size);
    const { events, matches } = row;
    const isFull = events.length >= size;
    const gaps = new Map<string, number>();
    for (const { projectId, sequence } of row.gaps)
      gaps.set(projectId, Math.min(sequence, gaps.get(projectId) ?? Infinity));
    const complete = completePrefix(events, gaps);
    if (complete.length > 0) {
      const hasMore = isFull || complete.length < events.length;
      return { row, events: complete, matches, hasMore };
    }
    const isHeldBack = row.gaps.some((gap) => gap.isHeldBack);
    if (isHeldBack || !isFull) return { row, events: [], matches, hasMore: false };
    if (size > limit * maxTimesLimit) return { row, events, matches, hasMore: true };
  }
}

/**
 * The next events of the log. Whoever receives them is read in the same statement, and so in the same snapshot: a webhook that
 * is in it gets what is read in it, and an event that is committed later is read later.
 */
function selectEvents(after: Fragment, limit: number, upTo?: Fragment): Fragment {
  return sql`
    select xid, project_id, sequence, id, name, data, created_at from events
    where (xid, project_id, sequence) > ${after} and xid < pg_snapshot_xmin(pg_current_snapshot())
      ${upTo === undefined ? sql`` : sql`and (xid, project_id, sequence) <= ${upTo}`}
    order by xid, project_id, sequence limit ${limit}`;
}

const mayRead = readableByWebhook(
  {
    id: "reader.owner_id",
    name: "reader.owner_name",
    role: "reader.role",
    removedAt: "reader.owner_removed_at",
    teamId: "reader.team_id",
  },
  { id: "read.project_id", ownerId: "read.owner_id", teamId: "read.team_id" },
);

/** The projects of the batch, with the names of its events. */
const selectReadProjects = sql`
  select read.project_id, projects.owner_id, projects.team_id, read.names
  from (select project_id, array_agg(distinct name) as names from batch group by project_id) as read
  left join projects on projects.id = read.project_id`;

/** In the log's order, which the materialized batch has. */
const eventsJson = sql`(
  select coalesce(json_agg(json_build_object('xid', xid::text, 'projectId', project_id, 'sequence', sequence, 'id', id,
    'name', name, 'data', data, 'happenedAtMs', floor(extract(epoch from created_at) * 1000))), '[]') from batch
)`;

/** One match for each webhook and project: what does not differ between the events of a project is looked up once. */
function matchesJson(isReader: Fragment): Fragment {
  return sql`(
    select coalesce(json_agg(json_build_object('webhookId', reader.id, 'version', reader.version,
      'projectId', read.project_id, 'lastSequence', coalesce(counted.last, 0),
      'names', case when not '*' = any(reader.events) then reader.events end,
      -- A webhook that is older than all of them has missed none.
      'missed', case when pg_snapshot_xmax(reader.creation_snapshot) > (select xid from batch order by xid limit 1) then (
        select json_agg(id) from batch
        where batch.project_id = read.project_id and pg_visible_in_snapshot(batch.xid, reader.creation_snapshot)
      ) end)), '[]')
    from (
      select webhooks.id, version, events, project_id, creation_snapshot, owner_id, users.name as owner_name, users.role,
        users.removed_at as owner_removed_at, webhooks.team_id
      from webhooks join users on users.id = webhooks.owner_id where ${isReader} offset 0
    ) as reader
    join read_projects as read on reader.project_id is null or reader.project_id = read.project_id
    left join webhook_sequences as counted on counted.webhook_id = reader.id and counted.project_id = read.project_id
    where ('*' = any(reader.events) or reader.events && read.names)
      and ${mayRead}
  )`;
}

const gapsJson = sql`(
  select coalesce(json_agg(json_build_object('projectId', part.project_id, 'sequence', part.sequence,
    'isHeldBack', missing.xid >= pg_snapshot_xmin(pg_current_snapshot()))), '[]')
  from (select project_id, sequence, lag(sequence) over (partition by project_id order by sequence) as previous from batch) as part
  join events as missing on missing.project_id = part.project_id and missing.sequence = part.sequence - 1
  where previous is distinct from part.sequence - 1 and missing.xid > (select xid from batch order by xid desc limit 1)
)`;
