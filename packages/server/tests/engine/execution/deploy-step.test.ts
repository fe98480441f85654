// @module-tag soak
import { join } from "node:path";
import type { Artifact } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { command, eventsOf, readProject, untilEnded } from "../../support/engine/follow.ts";
import { isRunning } from "../../support/engine/is-running.ts";
import { createStage } from "../../support/engine/stage.ts";
import { readPid } from "../../support/read-pid.ts";
import { until } from "../../support/until.ts";

const { app, play, agentId } = await createStage({ minuteMs: 4_000 });

const node = process.execPath;
const server = (answer: string) =>
  `${node} -e "require('http').createServer((q,s)=>s.end('${answer}')).listen(process.env.PORT, process.env.HOST)"`;
const deployedOf = async (id: string) =>
  (await eventsOf(app, id)).findLast(({ event }) => event === "project.deployed")?.data as {
    environment: string;
    version: string;
    url: string;
  };
const answerOf = (url: string) =>
  fetch(url).then(
    (answer) => answer.text(),
    () => "nothing",
  );

test("without scripts there is nothing to start: the result is deployed as it is", async () => {
  const id = await play({});
  await untilEnded(app, id);
  expect(await deployedOf(id)).toEqual({
    environment: "",
    version: expect.stringMatching(/^[0-9a-f]{12}$/),
    url: "",
    usage: expect.stringContaining("tar -xzf"),
    checks: expect.any(Object),
  });
});

test.each(
  soakCases([
    [
      { orchestrator: "kubernetes" },
      "No adapter deploys with 'kubernetes'. Say 'process' or 'container', or give scripts.deploy.",
    ],
    [
      { orchestrator: "Docker" },
      "No container engine works here: '/nowhere/podman' is not installed. Install podman or docker for the user that runs the service, or name the program in the setting container_engine.",
    ],
    [{ platforms: ["ios"] }, "No adapter deploys to 'ios'. Add 'local', or give scripts.deploy."],
  ]),
)("a target that nothing here serves is refused: %j", { tags: "long" }, async (deployment, message) => {
  const id = await play({ deployment });
  expect((await untilEnded(app, id)).error).toMatchObject({ code: "deployment_failed", message });
  const own = await play({ deployment, scripts: { deploy: "true" } });
  expect(await untilEnded(app, own)).toMatchObject({ status: "deployed" });
});

test("what people download of a site is stored before its programs run, which may write in its place", async () => {
  const build = "mkdir dist && echo home > dist/index.html";
  const id = await play({
    outcome_type: "web-app",
    scripts: { build, migrate: 'for f in *.gz; do echo "mine" > $f; done' },
  });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  const { url } = await deployedOf(id);
  expect(await answerOf(url)).toBe("home\n");
  const { artifacts } = (await app.call({ url: `/api/v1/projects/${id}/artifacts` })).json<{ artifacts: Artifact[] }>();
  const archive = artifacts.find(({ path }) => path.endsWith(".tar.gz"))!;
  const { rawPayload } = await app.call({ url: `/api/v1/projects/${id}/artifacts/${archive.path}` });
  expect(rawPayload.subarray(0, 2).toString("hex")).toBe("1f8b");
});

describe("scripts.deploy", () => {
  test("deploys the result, and knows its version", async () => {
    const id = await play({
      environments: { staging: { auto_deploy: true } },
      scripts: { deploy: "test -f build-play.txt && test -n $SLIPWAY_VERSION", start: "exit 9" },
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", environment: "staging" });
    expect(await deployedOf(id)).toMatchObject({ environment: "staging", url: "" });
  });

  test("that fails fails the project", async () => {
    const id = await play({ scripts: { deploy: "echo quota exceeded; exit 5" } });
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      progress: expect.closeTo(0.75),
      error: {
        code: "deployment_failed",
        message: "scripts.deploy ended with exit code 5. Last output: quota exceeded",
        phase: "deployment",
        task_id: "deploy",
        agent_id: await agentId("scripted"),
      },
    });
  });
});

describe("scripts.start", () => {
  test("is started on a port of its own, and live when it answers", async () => {
    const id = await play({ scripts: { start: server("hello") } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", progress: 1 });
    const { url } = await deployedOf(id);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await answerOf(url)).toBe("hello");
  });

  test("deployed again, the new one takes the place of the old one", { tags: "long" }, async () => {
    const id = await play({ scripts: { start: server("again") } });
    await untilEnded(app, id);
    const before = await deployedOf(id);
    await command(app, id, "restart", { from_phase: "deployment" });
    await untilEnded(app, id);
    const after = await deployedOf(id);
    expect(after.version).toBe(before.version);
    expect(after.url).toBe(before.url);
    expect(await answerOf(after.url)).toBe("again");
  });

  test("is ended when its project is cancelled before it answers", async () => {
    const pidFile = join(app.dataFolder, "pid");
    const id = await play({ scripts: { start: `echo $$ > ${pidFile}; sleep 60` } });
    const pid = await until(() => readPid(pidFile));
    await command(app, id, "cancel");
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test("is live although its project failed later: that is deleted after it was taken down", async () => {
    const id = await play({ scripts: { start: server("gone soon") } });
    await untilEnded(app, id);
    const { url } = await deployedOf(id);
    await command(app, id, "restart", { from_phase: "planning" });
    await command(app, id, "cancel");
    expect(await answerOf(url)).toBe("gone soon");
    const remove = () => app.call({ method: "DELETE", url: `/api/v1/projects/${id}` });
    expect((await remove()).statusCode).toBe(409);
    const { application_id } = await readProject(app, id);
    await app.call({ method: "DELETE", url: `/api/v1/applications/${application_id}/deployments/default` });
    expect(await answerOf(url)).toBe("nothing");
    expect((await remove()).statusCode).toBe(204);
  });

  test("that ends at once fails, with its exit code", async () => {
    const id = await play({ scripts: { start: "echo no config >&2; exit 3" } });
    expect((await untilEnded(app, id)).error).toMatchObject({
      code: "deployment_failed",
      message: "scripts.start ended with exit code 3 before it was ready. Last output: no config",
      task_id: "deploy",
    });
  });

  test("is not live as long as its health check says no", { tags: "long" }, async () => {
    const check = join(app.dataFolder, "checks");
    const health_check = `echo "$URL" >> ${check}; test "$(wc -l < ${check})" -gt 2`;
    const ok = await play({ scripts: { start: server("well"), health_check } });
    expect(await untilEnded(app, ok)).toMatchObject({ status: "deployed" });
    const bad = await play({ scripts: { start: server("ill"), health_check: "echo sick; exit 5" } });
    expect((await untilEnded(app, bad)).error?.message).toContain("scripts.health_check ended with exit code 5");
  });

  test("is built first, in the folder from which it runs", async () => {
    const id = await play({
      scripts: { build: "echo built > built.txt", start: `test -f built.txt && ${server("x")}` },
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  });

  test("that never answers fails", { tags: "long" }, async () => {
    const id = await play({
      timeouts: { implementation_minutes: 1 },
      scripts: { start: "echo waiting for godot; sleep 60" },
    });
    expect((await untilEnded(app, id)).error).toMatchObject({
      code: "deployment_failed",
      message: expect.stringMatching(
        /^scripts\.start is not ready after [\d.]+ seconds: nothing answers at port \d+, which the environment variable PORT names\. Last output: waiting for godot$/,
      ),
    });
  });

  // Last: it ends the service's engine.
  test("is ended with the service", async () => {
    const id = await play({ scripts: { start: server("bye") } });
    await untilEnded(app, id);
    const { url } = await deployedOf(id);
    expect(await answerOf(url)).toBe("bye");
    await app.app.stop();
    await expect.poll(() => answerOf(url)).toBe("nothing");
  });
});
