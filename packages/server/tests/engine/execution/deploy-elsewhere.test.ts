import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { countingServer, deploymentCalls, read } from "../../support/deployments/app-calls.ts";
import { untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play } = await createStage();
const { db } = app;
const own = await mkdtemp(join(tmpdir(), "slipway-node-"));
afterAll(() => rm(own, { recursive: true, force: true }));
const deploy = async (name: string) =>
  untilEnded(app, await play({ id: "shop", scripts: { start: countingServer(name) } }));

test("a version is deployed by the node that the deployment lives on, whichever node begins", {
  tags: "long",
  timeout: 300_000,
}, async () => {
  const first = await deploy("one");
  const hosts = async () => (await db.selectFrom("nodes").select("host").execute()).map(({ host }) => host!);
  const [host] = await hosts();
  await app.anotherNode({ dataFolder: own });
  const other = await until(async () => (await hosts()).find((name) => name !== host));
  // As if the first version had been deployed there, where another port is free.
  await db.updateTable("deployments").set({ host: other, port: null }).execute();
  const next = await deploy("two");
  expect(next).toMatchObject({ status: "deployed", error: null });
  const { deployment_id, release } = await deploymentCalls(app, first.application_id).read();
  expect(await readdir(join(own, "apps", deployment_id, "releases"))).toEqual([release!.release_id]);
  expect(await read(next.deployment!.url!)).toBe("two");
});

test("without such a node the deployment is refused, and leaves nothing behind", async () => {
  await deploy("one");
  await db.updateTable("deployments").set({ host: "gone" }).execute();
  const { status, error, application_id } = await deploy("three");
  expect([status, error!.message]).toEqual(["failed", expect.stringContaining("another node")]);
  const { releases } = await deploymentCalls(app, application_id).read();
  expect(releases.map(({ status: is }) => is)).not.toContain("preparing");
});
