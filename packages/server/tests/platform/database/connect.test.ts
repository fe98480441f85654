import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { sql, type Transaction } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { BlobError } from "../../../src/platform/blobs/index.ts";
import {
  connectDatabase,
  type DatabaseTarget,
  isDatabaseUnavailable,
  pingDatabase,
  pipelinedTransaction,
  requireSupportedPostgres,
} from "../../../src/platform/database/index.ts";
import { Refusal } from "../../../src/platform/errors/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { dataFolder, signal, started } from "../../support/database/run-starter.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";
import { DatabaseProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";

interface Schema {
  notes: { id: number; text: string };
}

const database = await createTestDatabase(fileURLToPath(new URL("../../support/database/migrations", import.meta.url)));

describe("a connected database", () => {
  test("is reached by its socket and by its URL", async () => {
    for (const target of [database.connection, database.url]) {
      const { db } = connect(target);
      const inserted = await db
        .insertInto("notes")
        .values({ text: "hello" } as never)
        .returning("id")
        .executeTakeFirst();
      expect(inserted?.id).toBeTypeOf("number");
    }
  });

  test("reads whole numbers as numbers wherever those are exact", async () => {
    const { pool } = connect();
    const { rows } = await pool.query(
      "select 9007199254740991 as exact, 9007199254740992 as large, array[1::int8] as many",
    );
    expect(rows).toEqual([{ exact: 9007199254740991, large: "9007199254740992", many: ["1"] }]);
  });

  test("ends statements that take too long and transactions that do nothing", async () => {
    const { pool } = connect();
    const { rows } = await pool.query(
      "select name, setting || unit as value from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout') order by name",
    );
    expect(rows).toEqual([
      { name: "idle_in_transaction_session_timeout", value: "3000ms" },
      { name: "statement_timeout", value: "15000ms" },
    ]);
  });

  test("survives the loss of every connection, idle or in a transaction", async () => {
    const { db, pool } = connect();
    const other = connect();
    const { pid } = (await pool.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!;
    await other.pool.query("select pg_terminate_backend($1)", [pid]);
    await until(() => pool.totalCount === 0);

    const work = db.transaction().execute(async (trx) => {
      const own = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await other.pool.query("select pg_terminate_backend($1)", [own.rows[0]!.pid]);
      await sql`select`.execute(trx);
    });
    const error = await work.catch((one: unknown) => one);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await pingDatabase(db);
  });

  test("is closed once, used or not", async () => {
    const unused = connect();
    await unused.close();
    const used = connect();
    await used.pool.query("select");
    await Promise.all([used.close(), used.close()]);
    expect(used.pool.totalCount).toBe(0);
  });

  test("is new enough", async () => {
    await requireSupportedPostgres(connect());
    const old = { query: async () => ({ rows: [{ number: 140_012, name: "14.12" }] }) };
    await expect(requireSupportedPostgres({ pool: old as never })).rejects.toThrow(
      /is Postgres 14\.12; Slipway needs Postgres 15 or newer/,
    );
  });
});

describe("a URL that is none", () => {
  test.for(["", "localhost", "mysql://root:hunter2@localhost/x", "postgres://u:hunter2@localhost:99999/x"])(
    "is refused: %s",
    (url) => {
      expect(() => connect(url)).toThrow(/SLIPWAY_DATABASE_URL is not the address/);
      expect(() => connect(url)).not.toThrow(/hunter/);
    },
  );
});

describe("a database is unavailable", () => {
  test("when nothing listens", async () => {
    expect(await failure("postgres://u@127.0.0.1:1/x")).toMatchObject({ code: "ECONNREFUSED" });
  });

  test("when one name has several addresses and nothing listens on any", async () => {
    await failure("postgres://u@localhost:1/x");
  });

  test("when its socket is not there", async () => {
    expect(await failure({ ...database.connection, host: "/nowhere" })).toMatchObject({ code: "ENOENT" });
  });

  test("when its host is not known", async () => {
    await failure("postgres://u@nowhere.invalid/x");
  });

  test("when it accepts connections and says nothing", { tags: "long" }, async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await until(() => silent.listening);
    const { port } = silent.address() as { port: number };
    await failure(`postgres://u@127.0.0.1:${port}/x`);
  });

  test("when it hangs up", async () => {
    const rude = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    onTestFinished(() => void rude.close());
    await until(() => rude.listening);
    const { port } = rude.address() as { port: number };
    await failure(`postgres://u@127.0.0.1:${port}/x`);
  });

  test("when every connection of the pool is taken for too long", async () => {
    const { pool } = connect(database.connection, 1);
    const taken = await pool.connect();
    await expect(pool.query("select")).rejects.toSatisfy(isDatabaseUnavailable);
    taken.release();
  });

  test("when it falls silent, and then no connection is left to it, whatever was asked", { tags: "long" }, async () => {
    const proxy = await DatabaseProxy.open(database.connection);
    const options = { log: quietLog, maxConnections: 2, answerTimeoutMs: 2_000 };
    const { db, pool, close } = connectDatabase<Schema>(proxy.connection, options);
    const hold = (trx: Transaction<Schema>) => sql`select ${1}::integer`.execute(trx);
    const asks: Record<string, () => Promise<unknown>> = {
      "by a callback": () => pool.query("select 1"),
      "by a promise": () => sql`select ${1}::integer`.execute(db),
      "in a transaction": () => db.transaction().execute(hold),
      "in one that is pipelined": () =>
        pipelinedTransaction(db, async (trx) => ({ value: undefined, answers: [hold(trx), hold(trx)] })),
    };
    for (const [how, ask] of Object.entries(asks)) {
      await ask();
      proxy.freeze();
      expect(await ask().catch((error: unknown) => error), how).toSatisfy(isDatabaseUnavailable);
      await until(() => proxy.inside === 0);
    }
    await close();
  });

  test("when the pool was closed", async () => {
    const { db, close } = connect();
    await close();
    await expect(pingDatabase(db)).rejects.toSatisfy(isDatabaseUnavailable);
  });

  test("while it goes down and comes back, and then no longer", { tags: "long" }, async () => {
    const starter = await started(await dataFolder());
    const { db } = connect(starter.up.connection);
    await pingDatabase(db);
    const sleeping = sql`select pg_sleep(600)`.execute(db).catch((error: unknown) => error);
    await until(
      async () => (await sql`select from pg_stat_activity where query like 'select pg_sleep%'`.execute(db)).rows.length,
    );
    signal(starter.up.pid, "SIGKILL");
    expect(isDatabaseUnavailable(await sleeping)).toBe(true);
    await until(async () => {
      const error = await pingDatabase(db).catch((one: unknown) => one);
      if (error !== undefined) expect(error).toSatisfy(isDatabaseUnavailable);
      return error === undefined;
    });
  });

  test("when it is too slow to answer within our own time limit", async () => {
    const { pool } = connect();
    const error = await pool.query("set statement_timeout = 1; select pg_sleep(1)").catch((one: unknown) => one);
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test("but not when it answers with an error, or when something else is missing", async () => {
    const { pool } = connect();
    const answers = ["select 1 / 0", "select * from nowhere", "select 'x'::int"];
    for (const text of answers) {
      const error = await pool.query(text).catch((one: unknown) => one);
      expect(error).toBeInstanceOf(Error);
      expect(isDatabaseUnavailable(error)).toBe(false);
    }
    const wrongPassword = Object.assign(new Error("password authentication failed"), {
      code: "28P01",
      severity: "FATAL",
    });
    const missingFile = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT", syscall: "open" });
    for (const error of [wrongPassword, missingFile, undefined, "ECONNREFUSED"]) {
      expect(isDatabaseUnavailable(error)).toBe(false);
    }
  });

  test("but not when somebody else cannot be reached", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 192.0.2.1:443"), { code: "ECONNREFUSED" });
    const fetchFailed = new TypeError("fetch failed", { cause });
    const storeAway = new BlobError("store_unavailable", "The store for artifacts cannot be reached.", { cause });
    const refused = new Refusal("provider_unavailable", "The provider cannot be reached.", { cause: fetchFailed });
    for (const error of [fetchFailed, storeAway, refused]) expect(isDatabaseUnavailable(error)).toBe(false);
  });

  test("also when another error says so as its cause", () => {
    const cause = Object.assign(new Error("too many clients"), { code: "53300" });
    expect(isDatabaseUnavailable(new Error("reading the project failed", { cause }))).toBe(true);
  });
});

function connect(target: DatabaseTarget = database.connection, maxConnections = 5) {
  const connected = connectDatabase<Schema>(target, { log: quietLog, maxConnections });
  onTestFinished(() => connected.close());
  return connected;
}

async function failure(target: DatabaseTarget): Promise<unknown> {
  const error = await pingDatabase(connect(target).db).catch((one: unknown) => one);
  expect(error).toSatisfy(isDatabaseUnavailable);
  return error;
}
