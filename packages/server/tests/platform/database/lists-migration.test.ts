import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { selectApplications, selectProjects } from "../../../src/features/projects/store.ts";
import { connectDatabase, migrate, type Schema, type SocketConnection } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const all = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const [nothing, before, after] = await Promise.all([
  folderOf(),
  folderOf("0001-first.sql"),
  folderOf("0001-first.sql", "0002-lists.sql"),
]);
const { connection } = await createTestDatabase(nothing);
const admin = connect(connection);
afterAll(() => admin.close());

test("applications that were there before know their runs", async () => {
  const { db, pool } = connect(await newDatabase());
  await migrate({ pool, log: quietLog }, before);
  await pool.query("insert into users (id, name, role) values ('user', 'user', 'svc:user')");
  await pool.query(
    "insert into applications (id, owner_id, document_id) values ('app_1', 'user', 'one'), ('app_2', 'user', 'two')",
  );
  await pool.query(
    `insert into projects (id, application_id, owner_id, document_id, name, outcome_type, created_at) values
     ('proj_1', 'app_1', 'user', 'one', 'One', 'api', '2026-01-01'), ('proj_3', 'app_1', 'user', 'one', 'One', 'api', '2026-01-03'),
     ('proj_2', 'app_2', 'user', 'two', 'Two', 'api', '2026-01-02')`,
  );
  await migrate({ pool, log: quietLog }, after);
  expect(await selectApplications(db, "user", { limit: 10, after: undefined })).toMatchObject([
    { id: "app_2", projects: 1, latest_project_id: "proj_2", updated_at: new Date("2026-01-02T00:00:00Z") },
    { id: "app_1", projects: 2, latest_project_id: "proj_3", updated_at: new Date("2026-01-03T00:00:00Z") },
  ]);
});

test("texts have an index", async () => {
  const { pool } = connect(await newDatabase());
  await migrate({ pool, log: quietLog }, all);
  expect(await hasIndex(pool)).toBe(true);
});

test("texts have an index, where the extension is in a schema of its own", async () => {
  const { pool } = connect(await newDatabase());
  await pool.query('create schema "Own Place"; create extension pg_trgm schema "Own Place"');
  await migrate({ pool, log: quietLog }, all);
  expect(await hasIndex(pool)).toBe(true);
});

test("where the extension is not permitted, there is no index, and texts are found all the same", async () => {
  const target = await newDatabase();
  const role = `role_${randomBytes(6).toString("hex")}`;
  await admin.pool.query(`create role ${role} login`);
  const owner = connect(target);
  await owner.pool.query(`grant create on schema public to ${role}`);
  const { db, pool } = connect({ ...target, user: role });
  await migrate({ pool, log: quietLog }, all);
  expect(await hasIndex(pool)).toBe(false);
  await pool.query("insert into users (id, name, role) values ('user', 'user', 'svc:user')");
  await pool.query(
    `with application as (
       insert into applications (id, owner_id, document_id, projects, latest_project_id, updated_at)
       values ('app_1', 'user', 'one', 1, 'proj_1', now()) returning id
     ), project as (
       insert into projects (id, application_id, owner_id, document_id, name, outcome_type)
       select 'proj_1', id, 'user', 'one', 'A needle', 'api' from application
     )
     insert into project_names (project_id, name, document_id) values ('proj_1', 'A needle', 'one')`,
  );
  const found = await selectProjects(db, { ownerId: undefined, q: "NEEDLE" }, { limit: 10, after: undefined });
  expect(found.map(({ id }) => id)).toEqual(["proj_1"]);
});

async function hasIndex(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query("select from pg_indexes where indexname = 'project_names_by_text'");
  return rowCount === 1;
}

function connect(target: SocketConnection) {
  return connectDatabase<Schema>(target, { log: quietLog });
}

async function newDatabase(): Promise<SocketConnection> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await admin.pool.query(`create database ${name}`);
  onTestFinished(async () => {
    await admin.pool.query(`drop database ${name} with (force)`);
  });
  return { ...connection, database: name };
}

async function folderOf(...names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-migrations-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  for (const name of names) {
    await copyFile(new URL(`../../../src/platform/database/migrations/${name}`, import.meta.url), join(folder, name));
  }
  return folder;
}
