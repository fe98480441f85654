// @module-tag soak
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { countingServer, deploymentCalls, read } from "../support/deployments/app-calls.ts";
import { eventsOf, refusalOf, untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";
import { until } from "../support/until.ts";

const { app, play } = await createStage();
const folder = await mkdtemp(join(tmpdir(), "slipway-rollback-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes what it finds in its environment to a file. */
const tell = (name: string) =>
  `echo "$SLIPWAY_VERSION $SLIPWAY_PREVIOUS_VERSION $SLIPWAY_ENVIRONMENT $SLIPWAY_RELEASE" >> ${folder}/${name}`;
const told = async (name: string) => (await readFile(`${folder}/${name}`, "utf8").catch(() => "")).trim();
const deploy = async (id: string, scripts: object, parts: object = {}) =>
  untilEnded(app, await play({ id, scripts, environments: { live: { auto_deploy: true } }, ...parts }));

/** Each deploys several versions: a busy machine takes its time. */
const timeout = 300_000;

describe("scripts.rollback", { timeout }, () => {
  test("runs when somebody goes back: the version that is left undoes what it did", { tags: "long" }, async () => {
    const first = await deploy("undone", { start: countingServer("one"), rollback: tell("undone") });
    const next = await deploy("undone", { start: countingServer("two"), rollback: tell("undone") });
    const { command, read: readNow } = deploymentCalls(app, first.application_id, "live");
    const { release } = await readNow();
    expect((await command("rollback", {})).statusCode).toBe(200);
    const [version, previous] = [next.deployment!.version, first.deployment!.version];
    expect(await told("undone")).toBe(`${version} ${previous} live ${release!.release_id}`);
    expect(await read(first.deployment!.url!)).toBe("one");
  });

  test("that fails is told of, and the earlier version is live all the same", { tags: "long" }, async () => {
    await deploy("half", { start: countingServer("one") });
    const next = await deploy("half", { start: countingServer("two"), rollback: "echo no way back && exit 3" });
    const { command } = deploymentCalls(app, next.application_id, "live");
    expect((await command("rollback", {})).statusCode).toBe(200);
    expect(await read(next.deployment!.url!)).toBe("one");
    const [failed] = (await eventsOf(app, next.project_id)).filter(({ event }) => event === "deployment.failed");
    const message = "scripts.rollback ended with exit code 3. Last output: no way back";
    expect(failed!.data).toEqual({
      ...{ environment: "live", version: next.deployment!.version },
      error: { code: "rollback_script_failed", message },
    });
  });

  test("is all that can bring back what a script deployed: if it fails, nothing has changed", {
    tags: "long",
  }, async () => {
    const script = { deploy: tell("deployed"), rollback: `${tell("back")}; test -e ${folder}/may-go` };
    const first = await deploy("scripted", script);
    const next = await deploy("scripted", script);
    const { command, read: readNow } = deploymentCalls(app, first.application_id, "live");
    const [status, detail] = refusalOf(await command("rollback", {}));
    expect([status, detail]).toEqual([409, expect.stringContaining("scripts.rollback ended with exit code 1.")]);
    expect((await readNow()).release).toMatchObject({ project_id: next.project_id, status: "live" });
    expect((await told("back")).split("\n")).toHaveLength(1);
  });

  test("shows no secret in its log, and loses none of its lines", { tags: "long" }, async () => {
    await app.call({ method: "PUT", url: "/api/v1/secrets/KEY", payload: { value: "open-sesame-4711" } });
    const rollback = 'echo "the key is $KEY"; printf "once more: $KEY"';
    const secrets = { provider: "slipway", required: ["KEY"] };
    const first = await deploy("masked", { deploy: "true", rollback }, { secrets });
    const next = await deploy("masked", { deploy: "true", rollback }, { secrets });
    const { command } = deploymentCalls(app, first.application_id, "live");
    expect((await command("rollback", {})).statusCode).toBe(200);
    const url = `/api/v1/projects/${next.project_id}/logs?service=rollback`;
    const texts = await until(async () => {
      const { lines } = (await app.call({ url })).json<{ lines?: { text: string }[] }>();
      return lines !== undefined && lines.length > 2 ? lines.map(({ text }) => text) : undefined;
    });
    expect(texts).toEqual([`$ ${rollback}`, "the key is ********", "once more: ********"]);
  });

  test("whose last output no database takes is told of like any other", { tags: "long" }, async () => {
    const rollback = `printf 'no\\000 \\033[2Jway'; exit 3`;
    const script = { deploy: tell("odd"), rollback };
    const first = await deploy("odd", script);
    const next = await deploy("odd", script);
    const { command, read: readNow } = deploymentCalls(app, first.application_id, "live");
    const [status, detail] = refusalOf(await command("rollback", {}));
    expect([status, detail]).toEqual([409, expect.stringContaining("exit code 3. Last output: no way")]);
    expect((await readNow()).release).toMatchObject({ project_id: next.project_id, status: "live" });
    const events = (await eventsOf(app, next.project_id)).map(({ event }) => event);
    expect(events).toContain("deployment.failed");
  });

  test("undoes what a deployment did that failed half-way", async () => {
    const rollback = tell("migrated");
    const first = await deploy("migrated", { start: countingServer("one"), migrate: "true", rollback });
    const next = await deploy("migrated", { start: countingServer("two"), migrate: "exit 5", rollback });
    expect(next.error!.message).toContain("exit code 5");
    // Once for each attempt at the deployment.
    const undone = new Set((await told("migrated")).split("\n").map((line) => line.split(" ")[1]));
    expect([...undone]).toEqual([first.deployment!.version]);
    expect(await read(first.deployment!.url!)).toBe("one");
  });
});

describe("output that no database takes", { timeout }, () => {
  const odd = `printf 'not\\000 \\033[2Jtoday'; exit 3`;
  test.each(
    soakCases([
      ["scripts.migrate", { start: countingServer("one"), migrate: odd }],
      ["scripts.deploy", { deploy: odd }],
      ["scripts.start", { start: `test -z "$SLIPWAY_VERSION" || { ${odd}; }; ${countingServer("one")}` }],
    ]),
  )("of %s is quoted where its deployment fails", { tags: "long" }, async (name, scripts) => {
    const { error } = await deploy(name.replace(".", "-"), scripts);
    expect(error).toMatchObject({
      code: "deployment_failed",
      message: expect.stringContaining("Last output: not today"),
    });
  });
});

describe("zero_downtime", { timeout }, () => {
  const acceptance = { zero_downtime: true };
  const lineOf = async (id: string) => {
    const report = await app.call({ url: `/api/v1/projects/${id}/acceptance` });
    const { lines } = report.json<{ lines: { pointer: string; verdict: string; reason: string }[] }>();
    return lines.find(({ pointer }) => pointer === "/acceptance/zero_downtime");
  };

  test("holds where something answers all the time; a version that breaks it is taken back", {
    tags: "long",
  }, async () => {
    const first = await deploy("always", { start: countingServer("one") }, { acceptance });
    expect(await lineOf(first.project_id)).toMatchObject({ verdict: "passed", reason: "Nothing was live before." });
    const next = await deploy("always", { start: countingServer("two") }, { acceptance });
    expect(await lineOf(next.project_id)).toMatchObject({ verdict: "passed" });
    const deployment = { strategy: "recreate" };
    const gap = await deploy("always", { start: countingServer("three") }, { acceptance, deployment });
    expect(gap).toMatchObject({ status: "failed", error: { code: "deployment_failed" } });
    expect(gap.error!.message).toContain("Nothing answered for");
    expect(await lineOf(gap.project_id)).toMatchObject({ verdict: "failed" });
    expect(await read(first.deployment!.url!)).toBe("two");
  });

  test("is not checked where a script leads the requests", { tags: "long" }, async () => {
    await deploy("led", { deploy: "true" }, { acceptance });
    const next = await deploy("led", { deploy: "true" }, { acceptance });
    expect(await lineOf(next.project_id)).toMatchObject({ verdict: "not_checked" });
  });
});
