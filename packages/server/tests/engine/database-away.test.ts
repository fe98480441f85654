// @module-tag long
import { existsSync } from "node:fs";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { connectDatabase, type Schema } from "../../src/platform/database/index.ts";
import { patientTransaction } from "../support/database/patient-transaction.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { plainProject } from "../support/engine/documents.ts";
import { eventsOf, submit, untilEnded } from "../support/engine/follow.ts";
import { scriptedAgent } from "../support/engine/scripted-agent.ts";
import { DatabaseProxy } from "../support/tcp-proxy.ts";
import { createTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let proxy!: DatabaseProxy;
let direct!: ReturnType<typeof connectDatabase<Schema>>;
const inTask = Promise.withResolvers<{ folder: string }>();
const goOn = Promise.withResolvers<void>();
const agent = scriptedAgent(async ({ task, folder }) => {
  if (!task.title.includes("waits")) return undefined;
  inTask.resolve({ folder });
  await goOn.promise;
  return undefined;
});
const app = await createTestApp({
  engine: { agents: [agent], retryDelayMs: () => 0, leaseMs: 2_000 },
  reach: async (connection) => {
    proxy = await DatabaseProxy.open(connection);
    // Past the door, for the test itself.
    direct = connectDatabase<Schema>(connection, { log: quietLog });
    afterAll(() => direct.close());
    return proxy.connection;
  },
});

test("a project begins although the database goes away while its document is read", { tags: "long" }, async () => {
  const { db } = direct;
  await sql`create function hold() returns trigger language plpgsql as 'begin new.is_paused = true; return new; end'`.execute(
    db,
  );
  await sql`create trigger hold before insert on jobs for each row execute function hold()`.execute(db);
  const id = await submit(app, plainProject("begun", ["one"]).document);
  await sql`drop trigger hold on jobs`.execute(db);
  await patientTransaction(db, async (trx) => {
    await sql`lock table specs in access exclusive mode`.execute(trx);
    await db.updateTable("jobs").set({ is_paused: false }).execute();
    await until(isSomebodyWaiting);
    await proxy.shut();
  });
  await proxy.open();
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
});

test("an agent's work does not count as failed when the database is away at its end", { tags: "long" }, async () => {
  const id = await submit(app, plainProject("ended", ["one", "two waits"]).document);
  const { folder } = await inTask.promise;
  await proxy.shut();
  goOn.resolve();
  // The attempt is over when it has put its folder away.
  await until(() => !existsSync(folder));
  await proxy.open();
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  const events = await eventsOf(app, id);
  expect(events.map(({ event }) => event)).not.toContain("agent.task_failed");
});

test("a job whose claim was never heard of is claimed again", { tags: "long" }, async () => {
  const { db } = direct;
  await sql`create function wait() returns trigger language plpgsql as 'begin
    perform pg_advisory_xact_lock_shared(1); return new; end'`.execute(db);
  await sql`create trigger wait before update on jobs for each row execute function wait()`.execute(db);
  const id = await patientTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(1)`.execute(trx);
    const id = await submit(app, plainProject("unheard", ["one"]).document);
    await until(isSomebodyWaiting);
    // The claim goes on in the database; its answer finds nobody.
    await proxy.shut();
    return id;
  });
  await until(async () => (await sql`select from jobs where claimed_by is not null`.execute(db)).rows.length > 0);
  await sql`drop trigger wait on jobs`.execute(db);
  await proxy.open();
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
});

async function isSomebodyWaiting(): Promise<boolean> {
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(direct.db)).rows.length > 0;
}
