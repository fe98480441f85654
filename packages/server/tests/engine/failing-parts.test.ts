// @module-tag long
// @module-tag soak
import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connectDatabase, migrate, type Schema, startEmbeddedPostgres } from "../../src/platform/database/index.ts";
import { fastFolder } from "../support/database/fast-folder.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { signal, testFolder } from "../support/database/run-starter.ts";
import {
  createCluster,
  expectAllSound,
  migrations,
  submitAll,
  untilDone,
  untilEnded,
} from "../support/engine/cluster.ts";
import { chaoticProject, plainProject } from "../support/engine/documents.ts";
import { attemptFolders, expectSound } from "../support/engine/expect-sound.ts";
import { Gate } from "../support/engine/gate.ts";
import { startNode } from "../support/engine/run-node.ts";
import type { Service } from "../support/run-service.ts";
import { cannotFillDisk, fillDisk, smallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";

/** How often the database goes, once in each way, and how many pairs of projects it happens to. */
const rounds = process.env["SLIPWAY_LONG"] === "1" ? 10 : 1;

const cluster = await createCluster();
const withSmallDisk = await createCluster();

test("projects end as they should when the database is ended, or dies, and comes back under them", {
  tags: "long",
}, async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-restarted-"));
  let server = await startEmbeddedPostgres({ folder, log: quietLog, settings: { max_connections: "100" } });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { host, user, database: name } = server.connection;
  const connected = connectDatabase<Schema>(server.connection, { log: quietLog });
  onTestFinished(() => connected.close());
  await migrate({ pool: connected.pool, log: quietLog }, migrations);
  const data = join(await testFolder(), "data");
  const options = { data, databaseUrl: `postgres://${user}@/${name}?host=${encodeURIComponent(host)}`, leaseMs: 2_000 };
  const nodes = [await startNode(options), await startNode(options)];
  const projects = await submitAll(
    nodes,
    Array.from({ length: 2 * rounds }, (_, at) => chaoticProject(`restarted-${at}`, { fails: at % 2 === 1 })),
  );
  for (const how of Array.from({ length: rounds }, () => ["dies", "ends"] as const).flat()) {
    // The moment is chance: that is what is tried.
    await delay(randomInt(100, 1_000));
    if (how === "dies") signal(server.pid, "SIGKILL");
    else {
      await server.stop();
      server = await startEmbeddedPostgres({ folder, log: quietLog, settings: { max_connections: "100" } });
    }
  }
  await expectAllSound({ db: connected.db, data }, projects);
  for (const node of nodes) expect(await node.stop()).toMatchObject({ code: 0 });
  expect(attemptFolders(data)).toEqual([]);
});

test("nodes whose clocks are an hour off take nothing from others, and nothing ends early or late", {
  tags: "long",
}, async () => {
  const { data } = cluster;
  const hour = 3_600_000;
  const options = { ...cluster, leaseMs: 1_500 };
  const nodes: Service[] = [];
  for (const clockOffsetMs of [0, hour, -hour]) nodes.push(await startNode({ ...options, clockOffsetMs }));
  const waiting = plainProject("waiting", ["one", "two waits"]);
  const [waitingId] = [...(await submitAll(nodes, [waiting])).keys()] as [string];
  const projects = await submitAll(nodes.slice(1), [
    chaoticProject("sent-ahead"),
    plainProject("sent-behind", ["one", "two"]),
  ]);
  projects.set(waitingId, waiting);
  const gate = new Gate(join(data, "gates"), waitingId, "two-waits");
  await gate.reachedBy(...nodes);
  await untilRenewed(waitingId, 4);
  expect(await gate.visitors()).toHaveLength(1);
  await gate.open();
  await expectAllSound(cluster, projects);
  expect(attemptFolders(data)).toEqual([]);
});

test.skipIf(cannotFillDisk)(
  "a full disk fails a task clearly, and once there is room it can be tried again",
  async () => {
    const { db, databaseUrl } = withSmallDisk;
    const data = smallDisk("16m");
    const gates = join(await testFolder(), "gates");
    const node = await startNode({ data, gates, databaseUrl });
    const written = plainProject("full", ["one", "two waits", "three"]);
    const [id] = [...(await submitAll([node], [written])).keys()] as [string];
    const gate = new Gate(gates, id, "two-waits");
    await gate.reachedBy(node);
    await untilDone(withSmallDisk, id, 3);
    const makeRoom = fillDisk(data);
    await gate.open();
    const { status, error } = await untilEnded(withSmallDisk, id);
    expect({ status, error }).toMatchObject({ status: "failed", error: { code: "no_space" } });
    const { message, task_id: failed } = error as unknown as { message: string; task_id: string };
    expect(message).toContain("disk is full");
    const late = await node.createProject(plainProject("late", ["one"]).document);
    expect(await untilEnded(withSmallDisk, late.project_id)).toMatchObject({
      status: "failed",
      error: { code: "no_space" },
    });

    makeRoom();
    await retry(node, id, failed);
    await untilEnded(withSmallDisk, id);
    await expectSound(db, data, id, { ...written, failures: { [failed]: 3 }, endings: ["failed", "deployed"] });
    await retry(node, late.project_id, "plan");
    expect(await untilEnded(withSmallDisk, late.project_id)).toMatchObject({ status: "deployed" });
    await until(() => attemptFolders(data).length === 0);
  },
);

async function retry(node: Service, id: string, taskId: string): Promise<void> {
  const answer = await node.call(`/api/v1/projects/${id}/retry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ task_id: taskId }),
  });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

/** Waits until the lease of the node at the project's only job was renewed so many times. */
async function untilRenewed(projectId: string, times: number): Promise<void> {
  const query = cluster.db
    .selectFrom("jobs")
    .innerJoin("nodes", "nodes.name", "jobs.claimed_by")
    .select("lease_expires_at")
    .where("group_id", "=", projectId);
  const seen = new Set<number>();
  await until(async () => {
    for (const { lease_expires_at } of await query.execute()) seen.add(lease_expires_at.getTime());
    return seen.size > times;
  });
}
