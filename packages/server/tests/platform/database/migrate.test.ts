import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { connectDatabase, type DatabaseRefusal, migrate } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { dataFolder, started } from "../../support/database/run-starter.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const first = "create table notes (text text);\ninsert into notes values ('first');\n";
const second = "insert into notes values ('second');\n";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

const database = await createTestDatabase(await folderOf({}));
const { pool, close } = connectDatabase(database.connection, { log: quietLog });

describe("migrations", () => {
  test("run once each, in their order", async () => {
    await empty();
    await migrate({ pool, log: quietLog }, await folderOf({ "0001-first.sql": first }));
    const both = await folderOf({ "0002-second.sql": second, "0001-first.sql": first });
    await migrate({ pool, log: quietLog }, both);
    await migrate({ pool, log: quietLog }, both);
    expect(await notes()).toEqual(["first", "second"]);
    const { rows } = await pool.query("select number, name from schema_migrations order by number");
    expect(rows).toEqual([
      { number: 1, name: "0001-first.sql" },
      { number: 2, name: "0002-second.sql" },
    ]);
  });

  test("do not mind how git ends lines", async () => {
    await empty();
    await migrate({ pool, log: quietLog }, await folderOf({ "0001-first.sql": first }));
    await migrate({ pool, log: quietLog }, await folderOf({ "0001-first.sql": first.replaceAll("\n", "\r\n") }));
  });

  test("that fail leave nothing of themselves, and say where", async () => {
    await empty();
    const broken = `${second}\n\nselect nothing_like_that();\n`;
    const refusal = await refused({ "0001-first.sql": first, "0002-broken.sql": broken });
    expect(refusal.code).toBe("migration_failed");
    expect(refusal.message).toMatch(/^The migration 0002-broken\.sql failed at line 4: function nothing_like_that/);
    expect(await notes()).toEqual(["first"]);
    await migrate({ pool, log: quietLog }, await folderOf({ "0001-first.sql": first, "0002-mended.sql": second }));
    expect(await notes()).toEqual(["first", "second"]);
  });

  test("that were changed after they ran are refused", async () => {
    await empty();
    await migrate({ pool, log: quietLog }, await folderOf({ "0001-first.sql": first }));
    const refusal = await refused({ "0001-first.sql": `${first}-- more\n`, "0002-second.sql": second });
    expect(refusal.code).toBe("migration_changed");
    expect(refusal.message).toContain("0001-first.sql was changed after it was run");
    expect(await notes()).toEqual(["first"]);
  });

  test.for<Record<string, string>>([
    { "0002-second.sql": second },
    { "0001-first.sql": first, "0003-third.sql": second },
    { "0001-first.sql": first, "0001-other.sql": second },
  ])("with a gap or a repeat are refused: %o", async (files) => {
    await empty();
    const refusal = await refused(files);
    expect(refusal.code).toBe("migration_missing");
    expect(refusal.message).toContain("without gaps and repeats");
  });

  test("that are missing from the database's own list are refused", async () => {
    await empty();
    const both = { "0001-first.sql": first, "0002-second.sql": second };
    await migrate({ pool, log: quietLog }, await folderOf(both));
    await pool.query("delete from schema_migrations where number = 1");
    expect((await refused(both)).code).toBe("migration_missing");
  });

  test("of a newer Slipway are refused", async () => {
    await empty();
    await migrate({ pool, log: quietLog }, await folderOf({ "0001-first.sql": first, "0002-second.sql": second }));
    const refusal = await refused({ "0001-first.sql": first });
    expect(refusal.code).toBe("database_newer");
    expect(refusal.message).toMatch(/newer than this Slipway: it has the migration 0002-second\.sql/);
  });

  test("with other names are refused", async () => {
    expect((await refused({ "first.sql": first })).code).toBe("migration_misnamed");
  });

  test("run once when four processes start at once", async () => {
    const folder = await dataFolder();
    const slow = "select pg_sleep(0.05);\n";
    const migrations = await folderOf({ "0001-first.sql": slow + first, "0002-second.sql": slow + second });
    const starters = await Promise.all(Array.from({ length: 4 }, () => started(folder)));
    const answers = await Promise.all(starters.map((starter) => starter.order(`migrate ${migrations}`, "migrated")));
    expect(answers.map(({ event }) => event)).toEqual(["migrated", "migrated", "migrated", "migrated"]);
    const other = connectDatabase(starters[0]!.up.connection, { log: quietLog });
    onTestFinished(() => other.close());
    expect((await other.pool.query("select text from notes")).rows).toEqual([{ text: "first" }, { text: "second" }]);
  });

  test("may take longer than any other statement, and wait as long for another node", { tags: "long" }, async () => {
    await empty();
    const hasty = connectDatabase(database.connection, {
      log: quietLog,
      statementTimeoutMs: 2_000,
      answerTimeoutMs: 2_000,
    });
    onTestFinished(() => hasty.close());
    const folder = await folderOf({ "0001-first.sql": `select pg_sleep(2.1);\n${first}` });
    await Promise.all([1, 2].map(() => migrate({ pool: hasty.pool, log: quietLog }, folder)));
    expect(await notes()).toEqual(["first"]);
  });

  test("give their connection back without the lock", async () => {
    await empty();
    await migrate({ pool, log: quietLog }, await folderOf({ "0001-first.sql": first }));
    const { rows } = await pool.query(`select from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`);
    expect(rows).toEqual([]);
    await close();
  });
});

async function refused(files: Readonly<Record<string, string>>): Promise<DatabaseRefusal> {
  const folder = await folderOf(files);
  return migrate({ pool, log: quietLog }, folder).then(
    () => expect.unreachable(),
    (error: DatabaseRefusal) => error,
  );
}

async function notes(): Promise<string[]> {
  return (await pool.query<{ text: string }>("select text from notes")).rows.map(({ text }) => text);
}

async function empty(): Promise<void> {
  await pool.query("drop table if exists notes, schema_migrations");
}

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-migrations-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}
