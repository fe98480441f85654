import { join } from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { PlanContent } from "../../src/engine/lifecycle/index.ts";
import {
  connectDatabase,
  type Database,
  type Schema,
  startEmbeddedPostgres,
} from "../../src/platform/database/index.ts";
import { patientTransaction } from "../support/database/patient-transaction.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { processesIn, signal } from "../support/database/run-starter.ts";
import { createCluster, expectAllSound, submitAll, untilDone } from "../support/engine/cluster.ts";
import { plainProject, unfinishedDocument } from "../support/engine/documents.ts";
import { attemptFolders } from "../support/engine/expect-sound.ts";
import { Gate } from "../support/engine/gate.ts";
import { startNode } from "../support/engine/run-node.ts";
import { type Service, usedDataFolder } from "../support/run-service.ts";
import { until } from "../support/until.ts";

const cluster = await createCluster();
const { db, data } = cluster;

/** Far longer than any of these tests takes: nothing goes on because a lease has ended. */
const endlessMs = 600_000;
const written = plainProject("recovered", ["one", "two waits", "three"]);

test("the work of a node that dies goes on elsewhere within 15 seconds", async () => {
  const { gate, at, other, end } = await twoNodesAtWork();
  await at.killGroup();
  // By the database's clock, which does not know how busy this machine is.
  const left = sql<{ seconds: number }>`
    select extract(epoch from max(lease_expires_at) - now())::float as seconds from nodes`;
  expect((await left.execute(db)).rows[0]!.seconds).toBeLessThan(15);
  await gate.reachedBy(other);
  await end();
});

test("what no rule builds is handed on once, though the node dies while an agent finishes it", {
  tags: "long",
}, async () => {
  const options = { ...cluster, leaseMs: 1_000 };
  const dying = await startNode(options);
  const { project_id: projectId } = await dying.createProject(unfinishedDocument("unfinished"));
  const gate = new Gate(join(data, "gates"), projectId, "finish-features-of-waits");
  await gate.reachedBy(dying);
  await dying.killGroup();
  await gate.reachedBy(await startNode(options));
  await gate.open();
  const rows = await db
    .selectFrom("plans")
    .selectAll()
    .where("project_id", "=", projectId)
    .orderBy("version")
    .execute();
  const { tasks } = (rows.at(-1)!.content as unknown as PlanContent).plan;
  const waits = tasks.filter(({ phase }) => phase === "waits").map(({ id }) => id);
  expect(waits).toContain("finish-features-of-waits");
  const written = { document: "", phases: { waits }, dependsOn: { waits: [] }, failures: {} };
  await expectAllSound(cluster, new Map([[projectId, written]]));
});

test("a node that is frozen holds the others up for seconds only, even in a transaction; what it finds does not count, and it works on", {
  tags: "long",
}, async () => {
  const { projectId, gate, nodes, at, end } = await twoNodesAtWork({ leaseMs: 1_000 });
  await patientTransaction(db, async (trx) => {
    await trx.selectFrom("projects").select("id").where("id", "=", projectId).forUpdate().execute();
    await gate.open();
    await until(isSomebodyWaiting);
    signal(at.child.pid!, "SIGSTOP");
  });
  // Now it has the lock that it waited for, and cannot let go of it.
  await end();
  signal(at.child.pid!, "SIGCONT");
  await until(() => attemptFolders(data).length === 0);
  await end();

  const next = await atWork(nodes);
  signal(next.at.child.pid!, "SIGSTOP");
  await next.gate.reachedBy(next.other);
  await next.end();
  signal(next.at.child.pid!, "SIGCONT");
  // It puts its own folder away when it has heard that its result came too late.
  await until(() => attemptFolders(data).length === 0);
  await next.end();
  expect(await next.other.stop()).toMatchObject({ code: 0 });
  await expectAllSound(cluster, await submitAll([next.at], [plainProject("plain", ["one", "two", "three"])]));
});

test("a node that is asked to end gives its work back at once, and that does not count as a loss", {
  tags: "long",
}, async () => {
  const { projectId, gate, at, other, end } = await twoNodesAtWork({ leaseMs: endlessMs });
  expect(await at.stop()).toMatchObject({ code: 0 });
  await gate.reachedBy(other);
  const jobs = await db.selectFrom("jobs").select("losses").where("group_id", "=", projectId).execute();
  expect(jobs.map(({ losses }) => losses)).toEqual([0]);
  await end();
});

test("a service that dies, alone or together with its database, goes on with its work as soon as it is started again", {
  tags: "long",
}, async () => {
  const data = await usedDataFolder();
  const dead = await startNode({ data, leaseMs: endlessMs });
  const projects = await submitAll([dead], [written]);
  const [projectId] = [...projects.keys()] as [string];
  const gate = new Gate(join(data, "gates"), projectId, "two-waits");
  await gate.reachedBy(dead);
  await dead.killGroup();
  const deadToo = await startNode({ data, leaseMs: endlessMs });
  await gate.reachedBy(deadToo);
  await deadToo.killGroup();
  for (const pid of processesIn(data)) signal(pid, "SIGKILL");
  const node = await startNode({ data, leaseMs: endlessMs });
  await gate.reachedBy(node);
  await gate.open();
  await expectAllSound({ db: await connectTo(data), data }, projects);
  await until(() => attemptFolders(data).length === 0);
});

interface AtWork {
  readonly nodes: readonly Service[];
  readonly projectId: string;
  readonly gate: Gate;
  /** The node that is in the middle of a task, and the other. */
  readonly at: Service;
  readonly other: Service;
  /** Lets the task end, and expects that all is well. */
  end(): Promise<void>;
}

async function twoNodesAtWork(traits: { leaseMs?: number } = {}): Promise<AtWork> {
  const options = { ...cluster, ...traits };
  return atWork([await startNode(options), await startNode(options)]);
}

async function atWork(nodes: readonly Service[]): Promise<AtWork> {
  const [projectId] = [...(await submitAll(nodes, [written])).keys()] as [string];
  const gate = new Gate(join(data, "gates"), projectId, "two-waits");
  const at = await gate.reachedBy(...nodes);
  // So that this task is all that is left of its phase.
  await untilDone(cluster, projectId, 3);
  const end = async () => {
    await gate.open();
    await expectAllSound(cluster, new Map([[projectId, written]]));
  };
  return { nodes, projectId, gate, at, other: nodes.find((node) => node !== at)!, end };
}

async function isSomebodyWaiting(): Promise<boolean> {
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(db)).rows.length > 0;
}

/** To a database that a service has started for itself. */
async function connectTo(data: string): Promise<Database> {
  const server = await startEmbeddedPostgres({ folder: data, log: quietLog });
  server.leave();
  const connected = connectDatabase<Schema>(server.connection, { log: quietLog });
  onTestFinished(() => connected.close());
  return connected.db;
}
