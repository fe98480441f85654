import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ProjectFilter, selectApplications, selectProjects } from "../../../src/features/projects/store.ts";
import { connectDatabase, type Schema } from "../../../src/platform/database/index.ts";
import type { Principal } from "../../../src/platform/http/index.ts";
import { newId } from "../../../src/platform/ids.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const migrations = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const { connection } = await createTestDatabase(migrations);
// One connection: its plans are the ones that are kept, and its counts the ones that are read.
const { db, close } = connectDatabase<Schema>(connection, { log: quietLog, maxConnections: 1 });
afterAll(close);

const projects = 20_000;
const applications = 200;
const firstMs = Date.parse("2026-01-01T00:00:00Z");
const timeOf = (index: number) => new Date(firstMs + index * 1000);
const page = { limit: 20, after: undefined };
/** Two pages, and what the planner is wrong about. */
const few = 200;

beforeAll(async () => {
  const indexes = Array.from({ length: projects }, (_, index) => index);
  await sql`insert into users (id, name, role) values ('big', 'big', 'svc:user'), ('small', 'small', 'svc:user')`.execute(
    db,
  );
  await sql`
    insert into applications (id, owner_id, document_id, projects, latest_project_id, updated_at)
    select 'app_' || lpad(n::text, 20, '0'), case when n % 100 = 0 then 'small' else 'big' end, 'document-' || n, 100, '-', now()
    from generate_series(0, ${applications - 1}::int) as n`.execute(db);
  await sql`
    insert into projects (id, application_id, owner_id, document_id, name, outcome_type, created_at)
    select id, 'app_' || lpad((n % 200)::text, 20, '0'), case when n % 200 % 100 = 0 then 'small' else 'big' end,
           'document-' || n % 200, 'Name ' || case when n = 77 then 'Needle' else n::text end, 'api', at
    from unnest(${indexes.map((index) => newId("project", timeOf(index).getTime()))}::text[], ${indexes}::int[],
                ${indexes.map(timeOf)}::timestamptz[]) as t (id, n, at)`.execute(db);
  await sql`insert into project_names (project_id, name, document_id) select id, name, document_id from projects`.execute(
    db,
  );
  await sql`analyze`.execute(db);
});

function user(id: string, teamIds: readonly string[] = []): Principal {
  return { id, userId: id, userName: id, role: "svc:user", scopes: new Set(), teamIds };
}

const admin: Principal = { ...user("admin"), role: "svc:admin" };

describe("however many projects there are, few rows are read", () => {
  test.for<[string, ProjectFilter, number]>([
    ["for all", {}, 21],
    ["for a word that is nearly nowhere", { q: "needle" }, 1],
    ["for a word that is nowhere", { q: "haystack" }, 0],
    ["for a word that is everywhere", { q: "name" }, 21],
    ["for those after the last but ten", { created_after: timeOf(projects - 11).toISOString() }, 10],
    ["for those after all", { created_after: timeOf(projects).toISOString() }, 0],
    ["for those after the first", { created_after: timeOf(0).toISOString() }, 21],
  ])("%s", async ([, filter, expected]) => {
    const list = () => selectProjects(db, admin, filter, page);
    const { result, rowsRead } = await rowsReadBy(list);
    expect(result).toHaveLength(expected);
    expect(rowsRead).toBeLessThan(few);
  });

  test.for<[string, Principal, number]>([
    ["of one with many", user("big"), 21],
    ["of one with few", user("small"), 2],
    ["of everybody", admin, 21],
  ])("for the applications %s", async ([, principal, expected]) => {
    for (const after of [undefined, "app_00000000000000000150"]) {
      const { result, rowsRead } = await rowsReadBy(() => selectApplications(db, principal, { limit: 20, after }));
      expect(result.length).toBe(expected);
      expect(rowsRead).toBeLessThan(few);
    }
  });
});

test("of a team that shares few, few rows are read", async () => {
  await sql`insert into teams (id, name, created_at) values ('team', 'team', now())`.execute(db);
  await sql`update projects set team_id = 'team' where owner_id = 'small' and document_id = 'document-100'`.execute(db);
  await sql`analyze projects`.execute(db);
  const { result, rowsRead } = await rowsReadBy(() => selectProjects(db, user("member", ["team"]), {}, page));
  expect(result).toHaveLength(21);
  expect(rowsRead).toBeLessThan(few);
});

test("created_after takes any time that there is", async () => {
  const first = (time: string) => selectProjects(db, admin, { created_after: time }, page);
  expect(await first("0001-01-01T00:00:00Z")).toHaveLength(21);
  expect(await first("9999-12-31T23:59:59Z")).toHaveLength(0);
});

/** After so many times that the database has settled on a plan. */
async function rowsReadBy<T>(work: () => Promise<T>): Promise<{ result: T; rowsRead: number }> {
  for (let count = 0; count < 10; count += 1) await work();
  const before = await countRead();
  const result = await work();
  return { result, rowsRead: (await countRead()) - before };
}

async function countRead(): Promise<number> {
  // What was counted is told to others at most once a second, unless asked for.
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables
    where relname in ('projects', 'project_names', 'applications')`.execute(db);
  return rows[0]!.read;
}
