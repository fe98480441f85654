import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { selectProjects } from "../../../src/features/projects/store.ts";
import { connectDatabase, migrate, type Schema, type SocketConnection } from "../../../src/platform/database/index.ts";
import type { Principal } from "../../../src/platform/http/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const migrations = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const { connection } = await createTestDatabase(
  fileURLToPath(new URL("../../support/database/migrations", import.meta.url)),
);
const admin = connect(connection);
afterAll(() => admin.close());

test("project names have a search index", async () => {
  const { pool } = connect(await newDatabase());
  await migrate({ pool, log: quietLog }, migrations);
  expect(await hasIndex(pool)).toBe(true);
});

test("the search index is created if the extension is in a schema of its own", async () => {
  const { pool } = connect(await newDatabase());
  await pool.query('create schema "Own Schema"; create extension pg_trgm schema "Own Schema"');
  await migrate({ pool, log: quietLog }, migrations);
  expect(await hasIndex(pool)).toBe(true);
});

test("without permission to create the extension, there is no index and a search still finds names", async () => {
  const target = await newDatabase();
  const role = `role_${randomBytes(6).toString("hex")}`;
  await admin.pool.query(`create role ${role} login`);
  const owner = connect(target);
  await owner.pool.query(`grant create on schema public to ${role}`);
  const { db, pool } = connect({ ...target, user: role });
  await migrate({ pool, log: quietLog }, migrations);
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
  const found = await selectProjects(db, anAdmin, { q: "NEEDLE" }, { limit: 10, after: undefined });
  expect(found.map(({ id }) => id)).toEqual(["proj_1"]);
});

const anAdmin: Principal = {
  ...{ id: "admin", userId: "admin", userName: "admin", role: "svc:admin" },
  ...{ scopes: new Set(), teamIds: [] },
};

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
