import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { connectDatabase, plannedAnew } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const noMigrations = await mkdtemp(join(tmpdir(), "slipway-test-"));
const { connection } = await createTestDatabase(noMigrations);
const { db, close } = connectDatabase<object>(connection, { log: quietLog, maxConnections: 1 });
afterAll(async () => {
  await close();
  await rm(noMigrations, { recursive: true });
});

const find = async (id: number) => (await sql`select * from things where id = ${id}`.execute(db)).rows;

test("a statement is parsed once a connection, and goes on when its table has changed", async () => {
  await sql`create table things as select 1 as id`.execute(db);
  expect([await find(1), await find(1), await find(2)]).toEqual([[{ id: 1 }], [{ id: 1 }], []]);
  const prepared = await sql`select from pg_prepared_statements where statement like 'select * from things%'`.execute(
    db,
  );
  expect(prepared.rows).toHaveLength(1);

  await sql`alter table things add column name text default 'new'`.execute(db);
  expect([await find(1), await find(1)]).toEqual([[{ id: 1, name: "new" }], [{ id: 1, name: "new" }]]);
});

test("a statement is planned for its values each time, where it asks for that", async () => {
  const { rows } = await sql`${plannedAnew} select ${"planned"}::text as name`.execute(db);
  expect(rows).toEqual([{ name: "planned" }]);
  const prepared = await sql`select from pg_prepared_statements where statement like '%planned anew%'`.execute(db);
  expect(prepared.rows).toEqual([]);
});
