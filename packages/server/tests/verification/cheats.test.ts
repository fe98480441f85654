import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AcceptanceReport } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import type { FunctionWork } from "../../src/agents/index.ts";
import { untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";

// Ways to buy a verdict that only the whole run shows. Those of single checks are in tests/bought-results, python and
// vitest-project (tests), scans/hidden-files (scans) and promises (probes).

const { app, play } = await createStage();

type Files = Readonly<Record<string, string | null>>;

const put = async ({ folder }: FunctionWork, files: Files) => {
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder, path);
    if (text === null) {
      await rm(place);
      continue;
    }
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
  return { is: "done" } as const;
};

/** Runs a document whose agent makes the first files, and the others in each round of repair. */
async function run(parts: object, first: Files, ...repairs: readonly Files[]) {
  let round = -1;
  const id = await play(parts, (work) => {
    if (work.task.role === "planner") return undefined;
    if (!work.task.id.startsWith("slipway-repair-")) return put(work, first);
    round += 1;
    return put(work, repairs[Math.min(round, repairs.length - 1)] ?? {});
  });
  const project = await untilEnded(app, id);
  const report = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
  return { id, project, report };
}

const fakeServer = `require("node:http").createServer((_, answer) => answer.end("fine")).listen(process.env.PORT || 0)`;
const test1 = (body: string) => `import assert from "node:assert";\nimport { test } from "node:test";\n${body}\n`;
const twoTests = test1(`test("adds", () => assert.equal(1 + 1, 2));\ntest("subtracts", () => assert.equal(2 - 1, 1));`);
const repaired = { guardrails: { tests_required: true }, acceptance: { commands: ["test -f wanted.txt"] } };

describe("a verdict cannot be bought by", () => {
  test("a server that the build or the test script leaves behind to answer for the real one", {
    tags: "long",
  }, async () => {
    const leave = `(setsid node fake.cjs > /dev/null 2>&1 &)`;
    const { project, report } = await run(
      {
        acceptance: { http_endpoints: [{ path: "/" }] },
        guardrails: { repair_rounds: 0 },
        scripts: { build: leave, test: leave, start: "sleep 1; exit 4" },
      },
      { "fake.cjs": fakeServer },
    );
    expect(project).toMatchObject({ status: "failed", error: { code: "acceptance_failed" } });
    expect(report.lines.find(({ pointer }) => pointer === "/acceptance/http_endpoints/0")).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("exit code 4"),
    });
  });

  test("tests that a repair deletes", async () => {
    const { project } = await run(
      repaired,
      { "sum.test.mjs": twoTests },
      { "wanted.txt": "", "sum.test.mjs": test1(`test("adds", () => assert.equal(1 + 1, 2));`) },
    );
    expect(project).toMatchObject({ status: "failed", error: { code: "tests_weakened" } });
    expect(project.error?.message).toContain("deleted: 'subtracts' (sum.test.mjs)");
  });

  test("tests that a repair skips or empties", { tags: "long" }, async () => {
    const weaker = test1(`test("adds", () => {});\ntest.skip("subtracts", () => assert.equal(2 - 1, 1));`);
    const { project } = await run(repaired, { "sum.test.mjs": twoTests }, { "wanted.txt": "", "sum.test.mjs": weaker });
    expect(project).toMatchObject({ status: "failed", error: { code: "tests_weakened" } });
    expect(project.error?.message).toContain("skipped: 'subtracts'");
    expect(project.error?.message).toContain("without assertions now: 'adds'");
  });

  test("tests that check less after a repair, in the first round or the second", { tags: "long" }, async () => {
    const three = test1(`test("adds", () => { assert.ok(1); assert.equal(1 + 1, 2); assert.equal(2 + 2, 4); });`);
    const one = test1(`test("adds", () => { assert.equal(1 + 1, 2); });`);
    const { project } = await run(
      repaired,
      { "sum.test.mjs": three },
      { "sum.test.mjs": one, "wanted.txt": "" },
      { "more.txt": "" },
    );
    expect(project).toMatchObject({ status: "failed", error: { code: "tests_weakened" } });
    expect(project.error?.message).toContain(
      "checking less: 'adds' (sum.test.mjs): 2 assertions before, 1 now. Bring them back",
    );
  });

  test("a lock file that a test corrects before anybody looks at it", async () => {
    const lock = (version: string) => JSON.stringify({ packages: { "node_modules/left-pad": { version } } });
    const { project } = await run(
      { dependency_overrides: { "left-pad": "1.3.0" }, scripts: { test: "cp right.json package-lock.json" } },
      { "package.json": "{}", "package-lock.json": lock("1.1.0"), "right.json": lock("1.3.0") },
    );
    expect(project).toMatchObject({ status: "failed", error: { code: "dependency_override_missed" } });
  });

  test("a repair that says it is done and changes nothing", { tags: "long" }, async () => {
    const { project } = await run(repaired, { "sum.test.mjs": twoTests });
    expect(project).toMatchObject({ status: "failed", error: { code: "acceptance_failed" } });
  });

  test("evidence of an older commit: each report is of the commit that goes live", { tags: "long" }, async () => {
    const { id, project, report } = await run(repaired, { "sum.test.mjs": twoTests }, { "wanted.txt": "there" });
    expect(project).toMatchObject({ status: "deployed", checks: { failed: 0 } });
    const { checkpoints } = (await app.call({ url: `/api/v1/projects/${id}/checkpoints` })).json<{
      checkpoints: { commit: string; phase: string }[];
    }>();
    expect(report.commit).toBe(checkpoints.find(({ phase }) => phase === "deployment")?.commit);
    expect(report.commit).not.toBe(checkpoints.find(({ phase }) => phase === "implementation")?.commit);
  });

  test("a report, results or a scan that lie in the project already", async () => {
    const { report, project } = await run(
      { guardrails: { tests_required: true, min_test_coverage: 0.5, repair_rounds: 0 } },
      {
        "verification/report.json": `{"counts":{"passed":9,"failed":0,"not_checked":0,"waived":0},"lines":[]}`,
        "verification/test-results.xml": `<testsuites tests="9"><testsuite><testcase name="x"/></testsuite></testsuites>`,
        "coverage/lcov.info": "SF:a.js\nLF:1\nLH:1\nend_of_record\n",
        "readme.md": "Nothing else.",
      },
    );
    expect(project.status).toBe("failed");
    const verdicts = Object.fromEntries(report.lines.map(({ pointer, verdict }) => [pointer, verdict]));
    expect(verdicts).toMatchObject({
      "/guardrails/tests_required": "failed",
      "/guardrails/min_test_coverage": "failed",
    });
  });

  test("a clock of its own: time is taken by the service's", { tags: "long" }, async () => {
    const slow = `Date.now = () => 0;
performance.now = () => 0;
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
console.log("took", Date.now(), "ms");`;
    const commands = [
      { command: "node slow.mjs", stdout_contains: "took 0 ms", performance: { max_execution_time_ms: 300 } },
    ];
    const { project, report } = await run(
      { acceptance: { commands }, guardrails: { repair_rounds: 0 } },
      { "slow.mjs": slow },
    );
    expect(project.status).toBe("failed");
    expect(report.lines.find(({ pointer }) => pointer.startsWith("/acceptance/commands/0/performance"))).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("300"),
    });
  });

  test("a threshold in the project's own settings: the document's counts", { tags: "long" }, async () => {
    const settings = JSON.stringify({ jest: { coverageThreshold: { global: { lines: 1 } } }, c8: { lines: 1 } });
    const { project } = await run(
      { guardrails: { min_test_coverage: 0.9, repair_rounds: 0 } },
      {
        "package.json": settings,
        "sum.mjs": "export const sum = (a, b) => a + b;\nexport function never() {\n  return 1;\n}\n",
        "sum.test.mjs": `import { sum } from "./sum.mjs";\n${test1(`test("adds", () => assert.equal(sum(1, 1), 2));`)}`,
      },
    );
    expect(project.error?.message).toMatch(/\/guardrails\/min_test_coverage|Line \d+: .*covered/);
  });
});
