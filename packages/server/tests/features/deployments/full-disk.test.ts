// @module-tag long
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Promotion } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { deploymentCalls, read } from "../../support/deployments/app-calls.ts";
import { command, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { cannotFillDisk, fillDisk, moveToSmallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";

const { app, play } = await createStage();
const node = process.execPath;
const program = `require('http').createServer((q,s)=>s.end(process.env.SLIPWAY_VERSION)).listen(process.env.PORT,process.env.HOST)`;
const scripts = { build: "head -c 3000000 /dev/urandom > built.bin", start: `${node} -e "${program}"` };
const environments = { dev: { auto_deploy: true }, staging: {} };

const promotionOf = async (id: string) =>
  (await app.call({ url: `/api/v1/projects/${id}/promotions` })).json<{ promotions: Promotion[] }>().promotions[0];
const untilPromotion = (id: string, status: Promotion["status"]) =>
  until(async () => {
    const found = await promotionOf(id);
    return found?.status === status ? found : undefined;
  });
const filesOf = (deploymentId: string) =>
  ["releases", "sealed"].flatMap((name) => {
    const folder = join(app.dataFolder, "apps", deploymentId, name);
    return existsSync(folder) ? readdirSync(folder) : [];
  });

/** Leaves a disk no room for one more file, until the function it gives is called. */
function useUpFiles(folder: string): () => void {
  const place = join(folder, "ballast");
  mkdirSync(place);
  for (let n = 0; ; n += 1) {
    try {
      writeFileSync(join(place, String(n)), "");
    } catch {
      return () => rmSync(place, { recursive: true });
    }
  }
}

describe.skipIf(cannotFillDisk)("a disk without room", { timeout: 120_000 }, () => {
  test.each([
    ["for bytes", fillDisk, "64m"],
    ["for files", useUpFiles, "64m,nr_inodes=3000"],
  ])("%s fails a promotion for that, and leaves what is live", async (_what, fill, size) => {
    moveToSmallDisk(app.dataFolder, size);
    const project = await untilEnded(app, await play({ scripts, environments }));
    expect(project).toMatchObject({ status: "deployed", error: null });
    const { project_id: id, application_id } = project;
    const [dev, staging] = ["dev", "staging"].map((name) => deploymentCalls(app, application_id, name));
    const version = project.deployment!.version;
    const makeRoom = fill(app.dataFolder);
    await command(app, id, "deploy", { environment: "staging" });
    const { error } = await untilPromotion(id, "failed");
    expect(error).toMatchObject({ code: "no_space", message: expect.stringContaining("disk is full") });
    const live = await dev!.read();
    expect(await read(live.url!)).toBe(version);
    const others = readdirSync(join(app.dataFolder, "apps")).filter((name) => name !== live.deployment_id);
    expect(others.flatMap(filesOf), "nothing of the failed one is left").toEqual([]);

    makeRoom();
    await command(app, id, "deploy", { environment: "staging" });
    await untilPromotion(id, "live");
    expect(await read((await staging!.read()).url!)).toBe(version);
  });

  test.each([
    ["for bytes", fillDisk, "64m"],
    ["for files", useUpFiles, "64m,nr_inodes=3000"],
  ])("%s does not prevent a rollback, and its stable path follows when there is room", async (_what, fill, size) => {
    moveToSmallDisk(app.dataFolder, size);
    const id = `rolled-${size.length}`;
    const first = await untilEnded(app, await play({ id, scripts }));
    const second = await untilEnded(app, await play({ id, scripts: { ...scripts, build: `${scripts.build}; true` } }));
    const deployed = deploymentCalls(app, second.application_id);
    const { deployment_id, releases, url } = await deployed.read();
    const current = () => readlinkSync(join(app.dataFolder, "apps", deployment_id, "current"));
    const earlier = releases.find((one) => one.project_id === first.project_id)!;
    const makeRoom = fill(app.dataFolder);
    expect((await deployed.command("rollback", {})).statusCode).toBe(200);
    await until(async () => (await read(url!)) === first.deployment!.version);
    const back = await deployed.read();
    expect([back.status, back.reason, back.release!.release_id]).toEqual(["live", null, earlier.release_id]);
    makeRoom();
    await deployed.command("restart", {});
    await until(() => current() === `releases/${earlier.release_id}`);
  });
});
