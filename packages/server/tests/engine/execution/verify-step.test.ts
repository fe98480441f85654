// @module-tag soak
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { eventsOf, phasesOf, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { isRunning } from "../../support/engine/is-running.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play, agentId } = await createStage({ minuteMs: 4_000 });
const { call } = app;

const artifactsOf = async (id: string) =>
  (await call({ url: `/api/v1/projects/${id}/artifacts` })).json<{ artifacts: { type: string; path: string }[] }>()
    .artifacts;
const hasLine = { acceptance: { commands: ["true"] } };

describe("the validation", () => {
  test("builds the result and runs its tests, and keeps what they wrote", async () => {
    const scripts = { build: "cat build-play.txt > made.txt", test: "test -f made.txt && test -n $CI && echo fine" };
    const id = await play({ scripts });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(await artifactsOf(id)).toMatchObject([
      { type: "bundle", path: expect.stringMatching(/^deployment\/play-\d+\.tar\.gz$/) },
      { type: "deployment_report", path: "deployment/report.json" },
      { type: "logs", path: "logs/validation.log" },
      { type: "source_code", path: "source/" },
      { type: "task_breakdown", path: "tasks.yaml" },
      { type: "acceptance_report", path: "verification/report.html" },
      { type: "acceptance_report", path: "verification/report.json" },
      { type: "sbom", path: "verification/sbom.cdx.json" },
      { type: "security_scan", path: "verification/scan.sarif" },
      { type: "test_results", path: "verification/test-results.xml" },
      { type: "acceptance_report", path: "verification/tests.json" },
    ]);
    const completed = (await eventsOf(app, id)).find(
      ({ event, data }) => event === "project.phase_completed" && data["phase"] === "validation",
    );
    expect(completed?.data).toEqual({
      phase: "validation",
      next_phase: "deployment",
      artifacts: [
        ["logs", "logs/validation.log"],
        ["security_scan", "verification/scan.sarif"],
        ["sbom", "verification/sbom.cdx.json"],
        ["test_results", "verification/test-results.xml"],
        ["acceptance_report", "verification/tests.json"],
        ["acceptance_report", "verification/report.json"],
        ["acceptance_report", "verification/report.html"],
      ].map(([type, path]) => ({ type, url: `/api/v1/projects/${id}/artifacts/${path}` })),
    });
  });

  test.each(
    soakCases([
      [
        "build",
        { build: "echo no compiler here; exit 3", test: "exit 4" },
        "scripts.build ended with exit code 3. Last output: no compiler here",
      ],
      [
        "test",
        { build: "true", test: "echo 1 of 2 failed >&2; exit 7" },
        "scripts.test ended with exit code 7. Last output: 1 of 2 failed",
      ],
      ["test", { test: "exit 1" }, "scripts.test ended with exit code 1."],
      [
        "build",
        { build: "no-such-program-at-all" },
        expect.stringMatching(
          /^scripts\.build ended with exit code 127\. Last output: .*no-such-program-at-all.*not found$/,
        ),
      ],
    ]),
  )("fails on a %s that fails: %j", async (name, scripts, message) => {
    const id = await play({ scripts });
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      current_phase: "validation",
      error: {
        code: `${name}_failed`,
        message,
        phase: "validation",
        task_id: "validate",
        agent_id: await agentId("scripted"),
      },
    });
    expect((await artifactsOf(id)).map(({ path }) => path)).toContain("logs/validation.log");
  });

  test("is tried again like any task: what fails now and then may pass", { tags: "long" }, async () => {
    const folder = app.dataFolder;
    const id = await play({ scripts: { test: `test -f ${folder}/seen || { touch ${folder}/seen; exit 1; }` } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const validate = (await tasksOf(app, id)).find(({ task_id }) => task_id === "validate");
    expect(validate?.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "completed"]);
  });

  test("is not repeated once the same commit, script and output have failed twice", async () => {
    const count = join(app.dataFolder, "runs-of-the-test");
    // Times and the folder differ from run to run, which makes it no other failure.
    const script = `echo x >> ${count}; pwd; echo "took $(date +%N) ms"; echo 1 of 2 failed; exit 7`;
    const id = await play({ scripts: { test: script }, guardrails: { repair_rounds: 0 } });
    expect((await untilEnded(app, id)).error).toMatchObject({
      code: "test_failed",
      message: "scripts.test ended with exit code 7. Last output: 1 of 2 failed",
    });
    const validate = (await tasksOf(app, id)).find(({ task_id }) => task_id === "validate");
    expect(validate?.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
    expect(await readFile(count, "utf8")).toBe("x\nx\n");
  });

  test("is repeated as long as it fails in another way each time", { tags: "long" }, async () => {
    const count = join(app.dataFolder, "runs-that-differ");
    const id = await play({ scripts: { test: `echo x >> ${count}; echo test $(wc -l < ${count}) failed; exit 7` } });
    expect((await untilEnded(app, id)).error).toMatchObject({ code: "test_failed" });
    const validate = (await tasksOf(app, id)).find(({ task_id }) => task_id === "validate");
    expect(validate?.attempts).toHaveLength(3);
  });

  test("ends tests that take too long, with all that they have started", { tags: "long" }, async () => {
    const pidFile = join(app.dataFolder, "pid");
    const id = await play({
      timeouts: { test_execution_minutes: 1 },
      scripts: { test: `sleep 60 & echo $! > ${pidFile}; sleep 60` },
    });
    expect((await untilEnded(app, id)).error).toMatchObject({
      code: "test_failed",
      message: "scripts.test took longer than 1 minute. Raise timeouts.test_execution_minutes, or make it quicker.",
    });
    const pid = Number(await readFile(pidFile, "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test("builds for production when builds are to be optimised", { tags: "long" }, async () => {
    const id = await play({ performance: { optimize_builds: true }, scripts: { test: "test $NODE_ENV = production" } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const usual = await play({ performance: { optimize_builds: false }, scripts: { test: "test -z $NODE_ENV" } });
    expect(await untilEnded(app, usual)).toMatchObject({ status: "deployed" });
  });

  test("gives scripts nothing of the service's own environment", async () => {
    process.env["SLIPWAY_MASTER_KEY_OF_A_TEST"] = "secret";
    const id = await play({ scripts: { test: "! env | grep -q SLIPWAY_MASTER_KEY_OF_A_TEST" } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    delete process.env["SLIPWAY_MASTER_KEY_OF_A_TEST"];
  });

  test("leaves no folder behind", { tags: "long" }, async () => {
    const id = await play({ scripts: { test: "touch left-behind" } });
    await untilEnded(app, id);
    await expect.poll(() => readdir(join(app.dataFolder, "workspaces", id, "attempts"))).toEqual([]);
  });
});

describe("a phase with its own acceptance", () => {
  const phases = { walls: { ...hasLine, features: ["wall"] }, roof: { features: ["tiles"], depends_on: ["walls"] } };

  test("ends only when that holds: the scripts run on what there is by then", async () => {
    // Holds without a roof at the end of the first phase, and with one at the end of all.
    const id = await play({ phases, scripts: { build: "test -f wall.txt", test: "test -f wall.txt" } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect((await artifactsOf(id)).map(({ path }) => path)).toEqual([
      expect.stringMatching(/^deployment\/play-\d+\.tar\.gz$/),
      "deployment/report.json",
      "logs/validation.log",
      "logs/walls.log",
      "source/",
      "tasks.yaml",
      "verification/report.html",
      "verification/report.json",
      "verification/sbom.cdx.json",
      "verification/scan.sarif",
      "verification/test-results.xml",
      "verification/tests.json",
    ]);
  });

  test("fails the project where it does not, before the next phase begins", async () => {
    const id = await play({ phases, scripts: { test: "echo where is the roof; test -f tiles.txt" } });
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      current_phase: "walls",
      error: {
        code: "test_failed",
        message: "scripts.test ended with exit code 1. Last output: where is the roof",
        phase: "walls",
      },
    });
    const tasks = await tasksOf(app, id);
    expect(tasks.find(({ task_id }) => task_id === "wall")?.status).toBe("completed");
    expect(tasks.find(({ task_id }) => task_id === "tiles")?.status).toBe("waiting");
    expect((await artifactsOf(id)).map(({ path }) => path)).toContain("logs/walls.log");
  });

  test("has the status verifying until that is known", { tags: "long" }, async () => {
    const flag = join(app.dataFolder, "go-on");
    const id = await play({ phases, scripts: { test: `while ! test -f ${flag}; do sleep 0.05; done` } });
    const walls = await until(async () => (await phasesOf(app, id)).find(({ status }) => status === "verifying"));
    expect(walls).toEqual({
      name: "walls",
      kind: "work",
      status: "verifying",
      depends_on: ["planning"],
      priority: "medium",
      tasks_done: 1,
      tasks: 1,
      estimated_hours: 1,
    });
    expect((await call({ url: `/api/v1/projects/${id}` })).json()).toMatchObject({ waiting_for: null });
    await writeFile(flag, "");
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  });
});
