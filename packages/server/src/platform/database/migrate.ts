import type pg from "pg";
import { advisoryLocks } from "./advisory-locks.ts";
import { DatabaseRefusal } from "./database-refusal.ts";
import type { Log } from "./log.ts";
import { type AppliedMigration, type Migration, planMigrations, readMigrations } from "./plan-migrations.ts";

/** A query without a time limit, for migrations and for the wait for another node: PreparedClient times only texts. */
function withoutTimeout(text: string, values?: unknown[]): pg.QueryConfig {
  return { text, ...(values && { values }) };
}

/** Runs the migrations that the database lacks. If several nodes start at once, one does it and the others wait. */
export async function migrate({ pool, log }: { pool: pg.Pool; log: Log }, folder: string): Promise<void> {
  const migrations = await readMigrations(folder);
  const client = await pool.connect();
  try {
    await lockMigrations(client, log);
    const planned = planMigrations(migrations, await readApplied(client));
    for (const migration of planned) {
      await runMigration(client, migration);
      log.info({ migration: migration.name }, "Migrated the database.");
    }
  } finally {
    // Closes the connection, and with it the lock and the settings.
    client.release(true);
  }
}

async function lockMigrations(client: pg.PoolClient, log: Log): Promise<void> {
  await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0");
  const { rows } = await client.query<{ isOurs: boolean }>('select pg_try_advisory_lock($1, $2) as "isOurs"', [
    ...advisoryLocks.migrations,
  ]);
  if (rows[0]!.isOurs) return;
  log.info({}, "Waiting for another node that migrates the database.");
  await client.query(withoutTimeout("select pg_advisory_lock($1, $2)", [...advisoryLocks.migrations]));
}

async function readApplied(client: pg.PoolClient): Promise<AppliedMigration[]> {
  await client.query(
    `create table if not exists schema_migrations (
       number integer primary key,
       name text not null,
       checksum text not null,
       applied_at timestamptz not null default now()
     )`,
  );
  const { rows } = await client.query<AppliedMigration>(
    "select number, name, checksum from schema_migrations order by number",
  );
  return rows;
}

async function runMigration(client: pg.PoolClient, { number, name, checksum, sql }: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(withoutTimeout(sql));
    await client.query("insert into schema_migrations (number, name, checksum) values ($1, $2, $3)", [
      number,
      name,
      checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    throw new DatabaseRefusal(
      "migration_failed",
      `The migration ${name} failed${lineOf(error, sql)}: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** The line of the error; Postgres counts characters from 1. */
function lineOf(error: unknown, sql: string): string {
  const { position } = error as { position?: string };
  return position === undefined ? "" : ` at line ${sql.slice(0, Number(position) - 1).split("\n").length}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
