import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ownTables } from "../../../src/app/backup/own-tables.ts";
import { renumberTransactions } from "../../../src/app/backup/renumber-store.ts";
import { CopySession, readMigrations } from "../../../src/platform/database/index.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const migrations = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const { connection } = await createTestDatabase(migrations);

async function open(): Promise<CopySession> {
  const session = await CopySession.open(connection);
  onTestFinished(() => session.close());
  return session;
}

/** How each event compares with each cursor and snapshot, and the order of the events. */
const comparisons = `select
  (select json_agg(id order by xid, project_id, sequence) from events) as "order",
  (select json_agg((events.xid, events.project_id, events.sequence) > (c.xid, c.project_id, c.sequence) order by id, reader)
     from events, event_cursors c) as "afterCursors",
  (select json_agg((events.xid, events.project_id, events.sequence) > (w.cursor_xid, w.cursor_project_id, w.cursor_sequence)
     order by events.id, w.id) from events, webhooks w where cursor_xid is not null) as "afterWebhooks",
  (select json_agg(pg_visible_in_snapshot(events.xid, creation_snapshot) order by events.id, w.id)
     from events, webhooks w) as "inSnapshots"`;

test("events keep their order and their place before and after every cursor and snapshot in a younger database", async () => {
  const [session, aside] = [await open(), await open()];
  // Far beyond what the database has reached: a busy service of some years.
  const xid = fc.integer({ min: 0, max: 30 }).map((n) => 7_000_000_000 + n);
  const rows = fc.record({
    events: fc.array(fc.record({ xid, project: fc.constantFrom("prj_a", "prj_b") }), { minLength: 1, maxLength: 12 }),
    cursors: fc.tuple(xid, xid),
    webhooks: fc.array(fc.record({ cursor: fc.option(xid), xmin: xid, size: fc.integer({ min: 0, max: 9 }) }), {
      maxLength: 4,
    }),
  });
  const check = async ({ events, cursors, webhooks }: typeof rows extends fc.Arbitrary<infer T> ? T : never) => {
    await session.query("rollback; begin; set local session_replication_role = replica");
    for (const [n, event] of events.entries())
      await session.query(
        "insert into events (project_id, sequence, id, name, data, xid) values ($1, $2, $3, 'x', '{}', $4)",
        [event.project, n + 1, `evt_${n}`, event.xid],
      );
    for (const [n, reader] of ["webhooks", "integrations"].entries())
      await session.query("update event_cursors set xid = $1, project_id = $2, sequence = $3 where reader = $4", [
        cursors[n],
        n === 0 ? "" : "prj_b",
        n === 0 ? 0 : 3,
        reader,
      ]);
    for (const [n, { cursor, xmin, size }] of webhooks.entries()) {
      const open = Array.from({ length: size }, (_, index) => xmin + index).filter((one) => one % 2 === 0);
      await session.query(
        `insert into webhooks (id, owner_id, url, events, ordering, secret, cursor_xid, cursor_project_id, cursor_sequence, creation_snapshot)
         values ($1, 'usr', 'u', '{}', 'none', '', $2, 'prj_a', 2, $3)`,
        [`whk_${n}`, cursor, `${xmin}:${xmin + size}:${open.join(",")}`],
      );
    }
    const before = await session.query(comparisons);
    await renumberTransactions(session, (statement) => aside.query(statement));
    expect(await session.query(comparisons)).toEqual(before);
    const [now] = await aside.query("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next");
    const [highest] = await session.query(
      `select greatest((select max(xid) from events), (select max(xid) from event_cursors),
        (select max(pg_snapshot_xmax(creation_snapshot)) from webhooks))::text::bigint as xid`,
    );
    expect(Number((now as { next: string }).next)).toBeGreaterThan(Number((highest as { xid: string }).xid));
    await session.query("rollback");
  };
  await fc.assert(fc.asyncProperty(rows, check), { numRuns: 40 });
});

test("a backup knows every table, and every column that holds a transaction", async () => {
  const session = await open();
  const own = ownTables(await readMigrations(migrations));
  const tables = await session.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'",
  );
  expect(tables.map(({ name }) => name).sort()).toEqual([...own].sort());
  const columns = await session.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and udt_name in ('xid', 'xid8', 'pg_snapshot', 'txid_snapshot', 'oid', 'pg_lsn') order by 1`,
  );
  // A new one needs a rule in renumber-store.ts, or in the columns that are left to their default.
  expect(columns.map(({ name }) => name)).toEqual([
    "event_cursors.xid",
    "events.xid",
    "logs.xid",
    "webhooks.creation_snapshot",
    "webhooks.cursor_xid",
  ]);
});
