import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Turns } from "../../src/deployment/turns.ts";
import { countingServer, deploymentCalls, read } from "../support/deployments/app-calls.ts";
import { command as commandOn, untilEnded } from "../support/engine/follow.ts";
import { isRunning } from "../support/engine/is-running.ts";
import { createStage } from "../support/engine/stage.ts";
import { until } from "../support/until.ts";

const folder = await mkdtemp(join(tmpdir(), "slipway-stuck-"));
/** Files that hold the process of a script that does not end. */
const scripts: string[] = [];
// After the service has ended, which neither waits for a script nor leaves one behind.
afterAll(async () => {
  const pids = await Promise.all(scripts.map(async (file) => Number(await readFile(file, "utf8"))));
  await rm(folder, { recursive: true, force: true });
  expect(await Promise.all(pids.map(isRunning))).toEqual(pids.map(() => false));
});
const { app, play } = await createStage();

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
const deploy = async (id: string, own: object) => untilEnded(app, await play({ id, scripts: own }));

/** Deploys two versions and goes back to the first; then the script of the second runs for an hour. */
async function rollBackForever(id: string) {
  const file = join(folder, id);
  scripts.push(file);
  await deploy(id, { start: countingServer("one") });
  const { application_id, deployment } = await deploy(id, {
    start: countingServer("two"),
    rollback: `trap '' TERM; echo $$ > ${file}; sleep 3600`,
  });
  const calls = deploymentCalls(app, application_id);
  const rolling = calls.command("rollback", {});
  await until(() => exists(file));
  return { ...calls, rolling, url: deployment!.url! };
}

describe("while scripts.rollback does not end", { timeout: 120_000 }, () => {
  test("the deployment can be stopped", async () => {
    const { command, rolling, url, read: readNow } = await rollBackForever("stopped");
    expect(await read(url)).toBe("two");
    expect((await command("stop")).statusCode).toBe(200);
    expect(await read(url)).toBe("nothing");
    expect(await readNow()).toMatchObject({ status: "stopped" });
    await rolling;
  });

  test("it can be removed", { tags: "long" }, async () => {
    const { remove, rolling, url } = await rollBackForever("removed");
    expect((await remove()).statusCode).toBe(204);
    expect(await read(url)).toBe("nothing");
    await rolling;
  });

  test("other deployments are looked after, and a new version that waits for it can be cancelled", {
    tags: "long",
  }, async () => {
    const stuck = await rollBackForever("first");
    const other = await deploy("second", { start: countingServer("other") });
    const { deployment_id: id, url } = other.deployment!;
    // As a node does that was not told of it.
    await app.db.updateTable("deployments").set({ wanted: "stopped" }).where("id", "=", id).execute();
    const next = await play({ id: "first", scripts: { start: countingServer("three") } });
    await until(async () => (await read(url!)) === "nothing");
    expect(await read(stuck.url)).toBe("two");
    expect((await commandOn(app, next, "cancel")).statusCode).toBe(200);
    expect(await untilEnded(app, next)).toMatchObject({ status: "failed" });
  });
});

test("a deployment whose new copy does not start can be stopped meanwhile", {
  timeout: 120_000,
  tags: "long",
}, async () => {
  const file = join(folder, "hangs");
  const hangs = `mkdir "$SLIPWAY_DATA_DIR/once" || { touch ${file}; exec sleep 3600; }`;
  // Not while it is verified.
  const start = `if [ -n "$SLIPWAY_VERSION" ]; then ${hangs}; fi; exec ${countingServer("one")}`;
  const acceptance = { health_check_timeout_seconds: 3600 };
  const { application_id, deployment } = await untilEnded(
    app,
    await play({ id: "once", scripts: { start }, acceptance }),
  );
  const { command } = deploymentCalls(app, application_id);
  const restarting = command("restart");
  await until(() => exists(file));
  expect((await command("stop")).statusCode).toBe(200);
  expect(await read(deployment!.url!)).toBe("nothing");
  await restarting;
});

test("who waits for a turn and is aborted waits no longer, does nothing, and the next one has its turn", async () => {
  const turns = new Turns();
  const { promise: long, resolve: end } = Promise.withResolvers<void>();
  const first = turns.take("a", () => long);
  const left = new AbortController();
  let isDone = false;
  const second = turns.take(
    "a",
    async () => {
      isDone = true;
    },
    left.signal,
  );
  const third = turns.take("a", async () => "third");
  left.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  end();
  await first;
  expect(await third).toBe("third");
  expect(isDone).toBe(false);
});
