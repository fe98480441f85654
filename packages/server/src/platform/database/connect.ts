import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { clientConfig, type DatabaseTarget } from "./client-config.ts";
import { DatabaseRefusal } from "./database-refusal.ts";
import type { Log } from "./log.ts";
import { noAnswer, PreparedClient, type PreparedClientConfig } from "./prepared-client.ts";

export interface ConnectedDatabase<Schema> {
  readonly db: Kysely<Schema>;
  readonly pool: pg.Pool;
  /** Waits for running statements, then closes every connection. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly log: Log;
  readonly maxConnections?: number;
  /** After this time the database cancels a statement. */
  readonly statementTimeoutMs?: number;
  /** How long a transaction may do nothing. */
  readonly idleTransactionMs?: number;
  /** After this time we stop waiting. It is longer, so that it counts only if the database is frozen or unreachable. */
  readonly answerTimeoutMs?: number;
  readonly applicationName?: string;
}

const minMajorVersion = 15;

/** Opens a pool, which connects at its first use and reconnects after the database was unavailable. */
export function connectDatabase<Schema>(target: DatabaseTarget, options: ConnectOptions): ConnectedDatabase<Schema> {
  const { log, maxConnections = 20, statementTimeoutMs = 15_000, applicationName } = options;
  const { answerTimeoutMs = statementTimeoutMs + 1_500, idleTransactionMs = 3_000 } = options;
  const pool = new pg.Pool({
    ...clientConfig(target, applicationName),
    ...({ Client: PreparedClient, answerTimeoutMs } satisfies PreparedClientConfig & { Client: unknown }),
    // Callers may send the next statement before the answer to the last one.
    pipeline: true,
    max: maxConnections,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    // A frozen process must not keep its row locks: others would wait for it instead of taking over.
    idle_in_transaction_session_timeout: idleTransactionMs,
    types: { getTypeParser },
    // Postgres plans a prepared statement once, perhaps while a table is empty. A sequential scan is cheapest then, and would
    // stay in use when the table is full (75 ms instead of 0.2 ms for a poll of a queue with 10,000 jobs).
    onConnect: async (client) => {
      // Without it, some versions take a forced plan for expensive and compile it, which takes longer than running it.
      await client.query("set enable_seqscan = off; set jit = off");
    },
  });
  const onLost = (error: Error) => log.debug({ err: error }, "A connection to the database was lost.");
  pool.on("error", onLost);
  // The pool listens only while a client is idle; one lost inside a transaction would end the process.
  pool.on("connect", (client) => client.on("error", onLost));

  let closing: Promise<void> | undefined;
  return {
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }),
    pool,
    // Not `db.destroy()`: it leaves a pool open that Kysely itself has never used.
    close: () => (closing ??= pool.end()),
  };
}

const pingTimeoutMs = 1_500;

/** Resolves if the database answers. */
export async function pingDatabase<Schema>(db: Kysely<Schema>): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const deadline = setTimeout(() => reject(new Error(noAnswer)), pingTimeoutMs);
  await Promise.race([sql`select`.execute(db), tooLate]).finally(() => clearTimeout(deadline));
}

/** Refuses a Postgres that is older than what our SQL needs. */
export async function requireSupportedPostgres({ pool }: { readonly pool: pg.Pool }): Promise<void> {
  const { rows } = await pool.query<{ number: number; name: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  );
  const { number, name } = rows[0]!;
  if (Math.floor(number / 10_000) >= minMajorVersion) return;
  throw new DatabaseRefusal(
    "old_postgres",
    `The database at SLIPWAY_DATABASE_URL is Postgres ${name}; Slipway needs Postgres ${minMajorVersion} or newer. Upgrade it, or leave SLIPWAY_DATABASE_URL unset to use the embedded one.`,
  );
}

/** Parses values as `pg` does, but int8 as a number wherever a number can represent it exactly. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid !== pg.types.builtins.INT8 || format === "binary") return pg.types.getTypeParser(oid, format as "text");
  return (value) => {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  };
}
