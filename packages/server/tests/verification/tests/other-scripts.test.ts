import { expect, test } from "vitest";
import { runScript } from "../../../src/verification/scripts/run-scripts.ts";
import { noBubblewrap } from "../../support/sandboxes.ts";
import {
  documentWith,
  sharedSandbox,
  testFolder,
  testProject,
  writeProject,
} from "../../support/verification/test-project.ts";

const line = "/guardrails/tests_required";
const limits = { guardrails: { tests_required: true, min_test_coverage: 0.5, test_types_required: ["unit"] } };
const head = 'import assert from "node:assert";\nimport { test } from "node:test";\n';

/** A script that is no runner: it writes reports as tools do. */
const check = `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("out", { recursive: true });
const time = process.hrtime.bigint();
writeFileSync("out/junit.xml", '<testsuite name="all"><testcase name="works" file="test/a.js" time="0.' + time + '"/></testsuite>');
writeFileSync("out/lcov.info", "SF:src/a.js\\nDA:1,1\\nend_of_record\\n");
`;

test("a script of the document that is no runner: its exit code counts, and the reports that it writes", async () => {
  const files = { "check.mjs": check, "src/a.js": "export const a = 1;\n", "test/a.js": "assert.ok(a);\n" };
  const { result, verdicts } = await testProject(files, { ...limits, scripts: { test: "node check.mjs" } });
  expect(result.cases).toMatchObject([{ file: "test/a.js", name: "works", outcome: "passed" }]);
  expect(result.coverage).toMatchObject({ method: "lcov" });
  expect(verdicts[line]?.verdict).toBe("passed");
  const fails = { ...files, "check.mjs": `${check}console.log("it broke");\nprocess.exit(3);\n` };
  const failed = await testProject(fails, { ...limits, scripts: { test: "node check.mjs" } });
  expect(failed.verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: "scripts.test ended with exit code 3. Last output: it broke",
  });
});

test.skipIf(noBubblewrap)(
  "where a test, a script or a build reaches nobody, it is told to have no network",
  async () => {
    const told = "scripts.test has no network, and no setting gives it one: it reaches only what it starts itself.";
    const go = 'import { once } from "node:events"; import { connect } from "node:net";\n';
    const open = 'await once(connect(5432, "127.0.0.1"), "connect")';
    const db = `${go}${open};\n`;
    const files = {
      "db.mjs": db,
      "test/a.test.js": `${head}${go}test("rows", async () => { ${open}; assert.ok(1); });\n`,
    };
    const script = await testProject(files, { ...limits, scripts: { test: "node db.mjs" } });
    expect(script.verdicts[line]?.reason).toMatch(/It said: Error: connect ECONNREFUSED 127\.0\.0\.1:5432/);
    expect(script.verdicts[line]?.reason).toContain(told);
    const tests = await testProject(files, { ...limits, scripts: { test: "node --test" } });
    expect(tests.verdicts[line]?.reason).toMatch(/^1 test of 1 failed: 'rows' .*ECONNREFUSED/);
    expect(tests.verdicts[line]?.reason).toContain(told);
    const built = await runScript(
      await sharedSandbox(),
      {
        ...{ document: documentWith(), folder: writeProject(files), minuteMs: 60_000, cache: undefined, secrets: {} },
        signal: new AbortController().signal,
        openLog: () => ({ write: () => undefined, end: () => undefined }) as never,
      },
      { name: "build", command: "node db.mjs" },
    );
    expect(built.error?.message).toContain(told.replace("scripts.test", "scripts.build"));
  },
);

test("a script without any report: the number of tests is unknown, and that is never green", async () => {
  const { verdicts } = await testProject({ "a.txt": "" }, { ...limits, scripts: { test: "echo all is well" } });
  const told = Object.fromEntries(Object.entries(verdicts).map(([pointer, { verdict }]) => [pointer, verdict]));
  expect(told).toEqual({
    [line]: "failed",
    "/guardrails/min_test_coverage": "not_checked",
    "/guardrails/test_types_required": "not_checked",
  });
  expect(verdicts[line]?.reason).toContain(
    "'echo all is well' ran, but wrote no report that names them. Let it write JUnit XML",
  );
});

test("a test that TAP tells of as failed fails the line, whatever the exit code; TAP is believed for no pass", async () => {
  const tap = (...lines: readonly string[]) => `printf '%s\\n' ${lines.map((one) => `'${one}'`).join(" ")}`;
  const judge = async (...lines: readonly string[]) => {
    const { verdicts } = await testProject({ "test.sh": tap(...lines) }, { scripts: { test: "sh test.sh" } });
    return verdicts[line];
  };
  expect(await judge("TAP version 13", "1..2", "not ok 1 - greets", "ok 2 - leaves")).toMatchObject({
    verdict: "failed",
    reason: "A test failed, as the output tells (TAP): not ok 1 - greets",
  });
  for (const lines of [
    ["ok 1", "not ok 2 - later # TODO", "not ok 3 # SKIP", "not ok 4 -  #  todo", "1..4"],
    ["not ok, said the sage"],
  ])
    expect(await judge(...lines)).toMatchObject({ verdict: "passed", reason: expect.stringContaining("none failed") });
});

test("no control character, and no part of a secret, is told of a test that TAP tells of as failed", async () => {
  const print = `printf '1..1\\nnot ok \\033[31m%0480d\\000 %s and more\\n' 0 "$TOKEN_A"`;
  const folder = writeProject({ "test.sh": print });
  const secrets = { TOKEN_A: "a-very-secret-value-1" };
  const { verdicts } = await testFolder(folder, { scripts: { test: "sh test.sh" } }, { secrets });
  expect(verdicts[line]?.reason).toMatch(/^A test failed, as the output tells \(TAP\): not ok 0{480}/);
  expect(verdicts[line]?.reason).not.toMatch(/a-very|[\u0000-\u001f]/);
});

test("the log says before the output which tests must fail", async () => {
  const files = { "test/a.test.js": `${head}test("adds", () => assert.equal(1 + 1, 2));\n` };
  const { result } = await testProject(files);
  expect(result.log).toMatch(
    /^\$ node .*\n# Tests of Slipway's own run along and must fail.*'(t\w{10}) …'\n[\s\S]*\1 compares/,
  );
});

test("tests that take too long fail with the setting that limits them", async () => {
  const folder = writeProject({
    "test/a.test.js": `${head}test("long", async () => { setInterval(() => {}, 1_000); await new Promise(() => {}); });`,
  });
  const { verdicts } = await testFolder(folder, { timeouts: { test_execution_minutes: 1 } }, { minuteMs: 1_500 });
  expect(verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: "scripts.test took longer than 1 minute. Raise timeouts.test_execution_minutes, or make it quicker.",
  });
});

test("a test that puts a pipe in the place of the report neither passes nor blocks the service", {
  tags: "long",
}, async () => {
  const attack = `import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
const found = readFileSync("/proc/" + process.ppid + "/cmdline", "utf8").split("\\0").find((one) => one.endsWith("junit.xml"));
const report = found.slice(found.indexOf("=") + 1);
execFileSync("rm", ["-f", report]);
execFileSync("mkfifo", [report]);
`;
  const { verdicts } = await testProject(
    { "test/a.test.mjs": `${head}${attack}test("bad", () => assert.ok(0));\n` },
    { ...limits, timeouts: { test_execution_minutes: 1 } },
  );
  expect(verdicts[line]?.verdict).toBe("failed");
});

test("secrets and control characters of a message do not reach the verdict", { tags: "long" }, async () => {
  const folder = writeProject({
    "test/a.test.js": `${head}test("tells \\u001b[31m" + process.env.TOKEN_A, () => { throw new Error(process.env.TOKEN_A); });`,
  });
  const secrets = { TOKEN_A: "a-very-secret-value-1" };
  const { result } = await testFolder(folder, {}, { secrets });
  expect(result.cases).toHaveLength(1);
  expect(JSON.stringify(result)).not.toContain("a-very-secret-value-1");
  expect(result.cases[0]?.name).not.toMatch(/\u001b/);
});

test("a program whose command is a part of one that the document names is another", { tags: "long" }, async () => {
  const report = "<testsuite><testcase name='forged' file='test/a.test.js'/></testsuite>";
  const files = {
    "package.json": JSON.stringify({ type: "module", scripts: { test: "sh check.s && node --test" } }),
    ...{ "check.sh": "true\n", "check.s": `echo "${report}" > junit.xml\n` },
    "test/a.test.js": `${head}test("own", () => assert.equal(1 + 1, 2));\n`,
  };
  const { result } = await testProject(files, { ...limits, scripts: { test: "sh check.sh && npm test" } });
  expect(result.cases.map(({ name }) => name)).toEqual(["own"]);
});
