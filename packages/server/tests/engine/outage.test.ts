import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { connectDatabase, type Schema, type SocketConnection } from "../../src/platform/database/index.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { testFolder } from "../support/database/run-starter.ts";
import { plainProject } from "../support/engine/documents.ts";
import { eventsOf, submit, untilEnded } from "../support/engine/follow.ts";
import { isRunning } from "../support/engine/is-running.ts";
import { scriptedAgent } from "../support/engine/scripted-agent.ts";
import { DatabaseProxy } from "../support/tcp-proxy.ts";
import { createTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Much longer than a node waits before it tries to reach the database again, which on a busy machine takes some time more. */
const leaseMs = 10_000;
const perNode = 3;

const proxies: DatabaseProxy[] = [];
let direct: ReturnType<typeof connectDatabase<Schema>> | undefined;
const reach = async (connection: SocketConnection) => {
  const proxy = await DatabaseProxy.open(connection);
  proxies.push(proxy);
  direct ??= connectDatabase<Schema>(connection, { log: quietLog });
  return proxy.connection;
};
afterAll(() => direct?.close());

const begun: string[] = [];
const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
const agent = scriptedAgent(
  async ({ projectId, task }) => {
    if (!task.title.includes("waits")) return undefined;
    begun.push(projectId);
    await mayEnd;
    return undefined;
  },
  { slots: perNode },
);
const app = await createTestApp({
  engine: { agents: [agent], retryDelayMs: () => 0, leaseMs },
  // Otherwise each would take itself for the only node.
  databaseUrl: "set",
  reach,
});
await app.anotherNode({ reach });

test("no work begins again when the database was away for longer than a lease and one node is back first", async () => {
  const [first, second] = proxies as [DatabaseProxy, DatabaseProxy];
  const ids: string[] = [];
  for (let at = 0; at < 2 * perNode; at += 1)
    ids.push(await submit(app, plainProject(`p${at}`, ["one waits"]).document));
  await until(() => begun.length === ids.length);
  await Promise.all([first.shut(), second.shut()]);
  await until(async () => (await countNodes("<=")) === 2);
  await second.open();
  await until(async () => (await countNodes(">")) === 1);
  await first.open();
  await until(async () => (await countNodes(">")) === 2);
  letEnd();
  for (const id of ids) expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect(begun.toSorted()).toEqual(ids.toSorted());
  const { rows } = await sql`select from attempts where number > 1`.execute(direct!.db);
  expect(rows).toEqual([]);
});

test("scripts.deploy is ended when the node's lease has ended by its own clock, and runs again when it is back", {
  tags: "long",
}, async () => {
  const folder = await testFolder();
  const [pidFile, mayPass] = [join(folder, "pid"), join(folder, "may-pass")];
  const deploy = `test -f ${mayPass} || { echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600; }`;
  const { document } = plainProject("effects", ["one"]);
  const scripts = `scripts:\n  deploy: ${JSON.stringify(deploy)}\n`;
  const id = await submit(
    app,
    document.replace("scripts:\n", () => scripts),
  );
  await until(() => existsSync(pidFile));
  const pid = Number(readFileSync(pidFile, "utf8"));
  await Promise.all(proxies.map((proxy) => proxy.shut()));
  await until(async () => !(await isRunning(pid)));
  await writeFile(mayPass, "");
  await Promise.all(proxies.map((proxy) => proxy.open()));
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect((await eventsOf(app, id)).map(({ event }) => event)).not.toContain("agent.task_failed");
});

/** How many nodes have a lease that has ended, or that has not. */
async function countNodes(compare: "<=" | ">"): Promise<number> {
  const { rows } = await sql`select from nodes where lease_expires_at ${sql.raw(compare)} now()`.execute(direct!.db);
  return rows.length;
}
