import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { connectDatabase, migrate, type SocketConnection } from "../../../src/platform/database/index.ts";
import { readMigrations } from "../../../src/platform/database/plan-migrations.ts";
import { whenDone } from "../when-done.ts";
import { quietLog } from "./quiet-log.ts";
import { startTestServer } from "./test-server.ts";

export interface TestDatabase {
  readonly connection: SocketConnection;
  /** The same as a URL, as an operator would set it. */
  readonly url: string;
}

/** The same for every file of this worker. */
let testServer: Promise<SocketConnection> | undefined;

/**
 * A migrated database for one test file, gone after it. Call it at the top of the file:
 * `const database = await createTestDatabase(migrations)`.
 */
export async function createTestDatabase(migrationsFolder: string): Promise<TestDatabase> {
  testServer ??= startTestServer(inject("runFolder"));
  const server = await testServer;
  const name = `test_${randomBytes(8).toString("hex")}`;
  await withAdmin(server, async (admin) => {
    const template = await findTemplate(admin, server, migrationsFolder);
    await admin.query(`create database ${name} template ${template} strategy file_copy`);
  });
  whenDone(() => withAdmin(server, (admin) => admin.query(`drop database if exists ${name} with (force)`)));
  const url = `postgres://${server.user}@/${name}?host=${encodeURIComponent(server.host)}`;
  return { connection: { ...server, database: name }, url };
}

/** The migrated database that others are cloned from; made by the first that needs it. */
async function findTemplate(admin: pg.Client, server: SocketConnection, migrationsFolder: string): Promise<string> {
  const checksums = (await readMigrations(migrationsFolder)).map(({ checksum }) => checksum);
  const hash = createHash("sha256").update(checksums.join()).digest("hex").slice(0, 16);
  const template = `template_${hash}`;
  await admin.query("select pg_advisory_lock(1)");
  const { rowCount } = await admin.query("select from pg_database where datname = $1", [template]);
  if (rowCount === 0) {
    await admin.query(`drop database if exists unfinished`);
    await admin.query(`create database unfinished`);
    const { pool, close } = connectDatabase({ ...server, database: "unfinished" }, { log: quietLog });
    await migrate({ pool, log: quietLog }, migrationsFolder).finally(close);
    await admin.query(`alter database unfinished rename to ${template}`);
  }
  await admin.query("select pg_advisory_unlock(1)");
  return template;
}

async function withAdmin<T>(server: SocketConnection, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ ...server, ssl: false });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
