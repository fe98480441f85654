import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { signal } from "../support/database/run-starter.ts";
import { createCluster, expectAllSound, submitAll } from "../support/engine/cluster.ts";
import { chaoticProject, type WrittenProject } from "../support/engine/documents.ts";
import { attemptFolders } from "../support/engine/expect-sound.ts";
import { launchNode, startNode } from "../support/engine/run-node.ts";
import type { Service } from "../support/run-service.ts";
import { until } from "../support/until.ts";

const isLong = process.env["SLIPWAY_LONG"] === "1";
const kills = isLong ? 60 : 6;
const freezes = isLong ? 20 : 2;
const count = isLong ? 40 : 4;
/** In the long run leases are as long as people's; they decide how long it takes. */
const traits = isLong ? {} : { leaseMs: 2_500 };

const cluster = await createCluster();
const { db, data } = cluster;

test(`${count} projects on three nodes end as they would without it when nodes are killed ${kills} times`, {
  timeout: 600_000,
}, async () => {
  const options = { ...cluster, ...traits };
  const { nodes, projects } = await threeNodesAtWork(options);
  for (let kill = 0; kill < kills; kill += 1) {
    // The moment is chance: that is what is tried.
    await delay(isLong ? randomInt(500, 1_500) : randomInt(200, 1_200));
    const victim = randomInt(nodes.length);
    await nodes[victim]!.killGroup();
    nodes[victim] = launchNode(options);
  }
  await expectNothingLeft(projects);
  // Nodes remove what the dead have left when they start.
  const last = await startNode(options);
  await until(() => attemptFolders(data).length === 0);
  for (const node of [...nodes, last]) expect(await node.stop()).toMatchObject({ code: 0 });
});

test("projects on three nodes end as they would without it when nodes freeze for seconds", {
  timeout: 600_000,
}, async () => {
  const { nodes, projects } = await threeNodesAtWork({ ...cluster, leaseMs: 1_500 });
  for (let freeze = 0; freeze < freezes; freeze += 1) {
    const { pid } = nodes[randomInt(nodes.length)]!.child;
    await delay(randomInt(100, 1_000));
    signal(pid!, "SIGSTOP");
    // Longer than leases, and than a transaction may do nothing.
    await delay(randomInt(1_000, 5_000));
    signal(pid!, "SIGCONT");
  }
  await expectNothingLeft(projects);
  await until(() => attemptFolders(data).length === 0);
  for (const node of nodes) expect(await node.stop()).toMatchObject({ code: 0 });
});

async function threeNodesAtWork(options: Parameters<typeof launchNode>[0]) {
  // The first makes what all of them share.
  const nodes: Service[] = [await startNode(options)];
  for (let more = 0; more < 2; more += 1) nodes.push(launchNode(options));
  await Promise.all(nodes.map((node) => node.ready()));
  const written = Array.from({ length: count }, (_, at) => chaoticProject(`app-${at}`, { fails: at % 5 === 3 }));
  return { nodes, projects: await submitAll(nodes, written) };
}

async function expectNothingLeft(projects: ReadonlyMap<string, WrittenProject>): Promise<void> {
  await expectAllSound(cluster, projects);
  const { rows } = await sql`select kind, number, group_id from jobs where kind <> 'deadline'`.execute(db);
  expect(rows).toEqual([]);
}
