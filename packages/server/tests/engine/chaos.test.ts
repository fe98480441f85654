// @module-tag soak
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
const count = isLong ? 40 : 4;
/** In the long run, leases of nodes that are killed are as long as people's; they decide how long it takes. */
const trials: readonly Trial[] = isLong
  ? [
      { kills: 60, freezes: 0 },
      { kills: 0, freezes: 20, leaseMs: 1_500 },
    ]
  : [{ kills: 3, freezes: 1, leaseMs: 1_500 }];

interface Trial {
  readonly kills: number;
  readonly freezes: number;
  readonly leaseMs?: number;
}

const cluster = await createCluster();
const { db, data } = cluster;

test.for(trials)(
  `${count} projects on three nodes end as they would without it when nodes are killed $kills times and freeze $freezes times`,
  { timeout: 600_000 },
  async ({ kills, freezes, leaseMs }) => {
    const options = { ...cluster, ...(leaseMs !== undefined && { leaseMs }) };
    const { nodes, projects } = await threeNodesAtWork(options);
    const everyFreeze = Math.floor((kills + freezes) / Math.max(freezes, 1));
    for (let turn = 1; turn <= kills + freezes; turn += 1) {
      // The moment is chance: that is what is tried.
      await delay(isLong ? randomInt(500, 1_500) : randomInt(200, 1_200));
      const victim = randomInt(nodes.length);
      if (freezes > 0 && turn % everyFreeze === 0) await freeze(await nodes[victim]!.ready());
      else {
        await nodes[victim]!.killGroup();
        nodes[victim] = launchNode(options);
      }
    }
    await expectNothingLeft(projects);
    // Nodes remove what the dead have left when they start.
    const last = await startNode(options);
    await until(() => attemptFolders(data).length === 0);
    for (const node of [...nodes, last]) {
      // One that is told to end before it listens for that is killed by it.
      const ended = await (await node.ready()).stop();
      expect(ended, ended.err).toMatchObject({ code: 0 });
    }
  },
);

/** For longer than leases, and than a transaction may do nothing. A start that loses its database so ends, as it should. */
async function freeze({ child }: Service): Promise<void> {
  signal(child.pid!, "SIGSTOP");
  await delay(randomInt(1_000, 5_000));
  signal(child.pid!, "SIGCONT");
}

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
