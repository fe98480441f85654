import type { CopySession } from "../../platform/database/index.ts";

/**
 * Makes the transaction ids in loaded rows fit their new database. Readers of the event log compare them with the
 * transactions that are open: in a young database, events of an old one would be held back for months, and new events
 * would count as read. Where the ids are all in the past, they stay. Otherwise they are numbered anew: an id of an event
 * becomes an even number, and what lies between two of them the odd number there, so that every comparison with an event
 * comes out as before. `useUp` moves the database beyond the highest of them.
 */
export async function renumberTransactions(
  session: CopySession,
  useUp: (statement: string) => Promise<unknown>,
): Promise<void> {
  const [found] = await session.query<{ isPast: boolean }>(
    `select coalesce(max(xid), '0') <= pg_current_xact_id() as "isPast" from (
       select max(xid) as xid from events
       union all select max(xid) from event_cursors
       union all select max(cursor_xid) from webhooks
       union all select max(pg_snapshot_xmax(creation_snapshot)) from webhooks) as highest`,
  );
  if (found?.isPast) return;
  await session.query(
    `create temp table old_xids on commit drop as
       select xid, row_number() over (order by xid) as rank from (select distinct xid from events) as known;
     create unique index on old_xids (xid);
     analyze old_xids;
     create function pg_temp.renumbered(old xid8) returns xid8 language sql stable as
       $$ select coalesce((select 2 * rank + (xid <> old)::int from old_xids where xid <= old order by xid desc limit 1), 1)
                 ::text::xid8 $$`,
  );
  await session.query(
    `update events set xid = (2 * rank)::text::xid8 from old_xids where old_xids.xid = events.xid;
     update event_cursors set xid = pg_temp.renumbered(xid);
     update webhooks set cursor_xid = pg_temp.renumbered(cursor_xid) where cursor_xid is not null;
     update webhooks set creation_snapshot = (
       pg_temp.renumbered(pg_snapshot_xmin(creation_snapshot)) || ':' ||
       pg_temp.renumbered(pg_snapshot_xmax(creation_snapshot)) || ':' || coalesce((
         select string_agg((2 * rank)::text, ',' order by rank) from old_xids
         where xid in (select pg_snapshot_xip(creation_snapshot))), ''))::pg_snapshot`,
  );
  const [missing] = await session.query<{ count: string }>(
    `select greatest(0, 2 * count(*) + 2 - (pg_snapshot_xmax(pg_current_snapshot())::text::bigint))::text as count
       from old_xids`,
  );
  // A transaction that has an id and writes nothing takes a few microseconds.
  await useUp(
    `do $$ begin for n in 1..${Number(missing?.count)} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  );
}
