import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { strongestTests } from "../../../src/verification/tests/compare-tests.ts";
import { compareTests } from "../../../src/verification/tests/index.ts";
import { noBubblewrap } from "../../support/sandboxes.ts";
import { testFolder, testProject, writeProject } from "../../support/verification/test-project.ts";

// Each of these once ended with a green tick. None of them may.

const required = { guardrails: { tests_required: true } };
const head = 'import assert from "node:assert";\nimport { after, test } from "node:test";\n';
const bad = `${head}test("bad", () => assert.equal(1, 2));\n`;
const line = "/guardrails/tests_required";
const withScript = (script: string) => JSON.stringify({ type: "module", scripts: { test: script } });

test("the runner stubbed: `npm test` is `true`", async () => {
  const files = { "package.json": withScript("true"), "test/a.test.js": bad };
  const { verdicts } = await testProject(files, { ...required, scripts: { test: "npm test" } });
  expect(verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("'bad'") });
});

test("the runner stubbed, and no tests at all: `npm test` is `true`", { tags: "long" }, async () => {
  const { verdicts } = await testProject({ "package.json": withScript("true") }, required);
  expect(verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("told of no test by name"),
  });
});

test("failures swallowed by the script: `node --test || true`", { tags: "long" }, async () => {
  const files = { "package.json": withScript("node --test || true"), "test/a.test.js": bad };
  expect((await testProject(files, required)).verdicts[line]?.verdict).toBe("failed");
});

test("a node of the project on PATH, by .npmrc, node_modules/.bin and variables", { tags: "long" }, async () => {
  const stub = "#!/bin/sh\nexit 0\n";
  const folder = writeProject({
    ...{ "package.json": withScript("PATH=./bin:$PATH node --test"), "test/a.test.js": bad },
    ...{ "bin/node": stub, node: stub, "node_modules/.bin/node": stub, "node_modules/.bin/pytest": stub },
    ".npmrc": "script-shell=./bin/node\nnode-options=--import=./green.mjs\n",
    ".env": "NODE_OPTIONS=--import=./green.mjs\nPATH=./bin\n",
    "green.mjs": "process.exit(0);",
  });
  const secrets = { PATH: `${folder}/bin`, NODE_OPTIONS: `--import=${folder}/green.mjs` };
  const { result, verdicts } = await testFolder(folder, required, { secrets });
  expect(result.cases).toMatchObject([{ name: "bad", outcome: "failed" }]);
  expect(verdicts[line]?.verdict).toBe("failed");
});

test("an --import hook that turns failures green", { tags: "long" }, async () => {
  const files = {
    "package.json": withScript("node --import ./green.mjs --test"),
    "green.mjs": 'import assert from "node:assert";\nassert.equal = assert.strictEqual = assert.ok = () => {};\n',
    "test/a.test.js": bad,
  };
  const { verdicts } = await testProject(files, required);
  expect(verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("turns failures green") });
});

test("the exit code forced: in a test, later, after the tests, before them", { tags: "long" }, async () => {
  const wait = "await new Promise((resolve) => setTimeout(resolve, 50));";
  const never = 'test("bad", () => assert.ok(0));\n';
  const { result, verdicts } = await testProject(
    {
      "package.json": withScript("node --test"),
      "test/in.test.js": `${head}test("good", () => assert.ok(2));\ntest("ends", () => process.exit(0));\n${never}`,
      "test/later.test.js": `${head}test("ends", async () => { ${wait} process.reallyExit(0); });\n${never}`,
      "test/after.test.js": `${head}after(() => process.exit(0));\n${never}`,
      "test/before.test.js": `process.exit(0);\n${head}${never}`,
    },
    required,
  );
  const failed = new Set(result.cases.filter(({ outcome }) => outcome === "failed").map(({ file }) => file));
  expect([...failed].sort()).toEqual(["after", "before", "in", "later"].map((name) => `test/${name}.test.js`));
  expect(verdicts[line]?.verdict).toBe("failed");
});

test.skipIf(noBubblewrap !== undefined)(
  "the network: a server outside that says what the tests want to hear",
  { tags: "long" },
  async () => {
    const outside = createServer((_, answer) => answer.end("all is well")).listen(0, "127.0.0.1");
    onTestFinished(() => void outside.close());
    await once(outside, "listening");
    const address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    const asks = `${head}test("asks", async () => assert.equal(await (await fetch("${address}")).text(), "all is well"));\n`;
    const files = { "package.json": withScript("node --test"), "test/a.test.js": asks };
    expect((await testProject(files, required)).verdicts[line]).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("'asks'"),
    });
    expect(await (await fetch(address)).text()).toBe("all is well");
  },
);

test("JUnit and coverage files made beforehand", async () => {
  const junit =
    '<testsuites><testsuite name="a"><testcase name="fine" file="test/a.test.js"/></testsuite></testsuites>';
  const lcov = "SF:src/a.js\nDA:1,1\nend_of_record\n";
  const files = {
    ...{ "junit.xml": junit, "reports/junit.xml": junit, "lcov.info": lcov, "coverage/lcov.info": lcov },
    "src/a.js": "export const a = () => 1;\n",
  };
  const limits = { guardrails: { tests_required: true, min_test_coverage: 0.5 } };
  // A script of the document that only copies is no test either.
  for (const script of ["true", "cp junit.xml new.xml"]) {
    const { verdicts } = await testProject(files, { ...limits, scripts: { test: script } });
    expect(verdicts[line]?.verdict).toBe("failed");
    expect(verdicts["/guardrails/min_test_coverage"]?.verdict).not.toBe("passed");
  }
});

test("a megabyte of comment hides neither an empty test nor a source that no test loads", {
  tags: "long",
}, async () => {
  const padding = `/* ${"x".repeat(1024 * 1024)} */\n`;
  const files = {
    "package.json": withScript("node --test"),
    "src/a.js": `${padding}export function a() {\n  return 1;\n}\n`,
    "src/b.js": "export const b = 1;\n",
    "test/a.test.js": `${head}import "../src/b.js";\n${padding}test("fine", () => { });\n`,
  };
  const { verdicts } = await testProject(files, { guardrails: { tests_required: true, min_test_coverage: 0.9 } });
  expect(verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("No assertions") });
  expect(verdicts["/guardrails/min_test_coverage"]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("no test loads src/a.js"),
  });
});

test("reports written by a program that the project calls its tests", { tags: "long" }, async () => {
  const write = `import { writeFileSync } from "node:fs";
writeFileSync("junit.xml", '<testsuite name="all"><testcase name="fine" file="check/a.js" time="0.' + process.pid + '"/></testsuite>');
writeFileSync("lcov.info", "SF:src/a.js\\nDA:1,1\\nend_of_record\\n");
`;
  const files = {
    "write.mjs": write,
    "src/a.js": "export const a = () => 1;\n",
    "check/a.js": "assert.equal(a(), 1);\n",
  };
  const limits = { guardrails: { tests_required: true, min_test_coverage: 0.5 } };
  const manifest = { "package.json": withScript("node write.mjs") };
  for (const scripts of [{}, { scripts: { test: "npm test" } }, { scripts: { test: "npm run test" } }]) {
    const { verdicts } = await testProject({ ...files, ...manifest }, { ...limits, ...scripts });
    expect(verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("scripts.test") });
    expect(verdicts["/guardrails/min_test_coverage"]?.verdict).not.toBe("passed");
  }
  const told = { ".slipway/scripts.json": JSON.stringify({ test: "node write.mjs" }) };
  expect((await testProject({ ...files, ...told }, limits)).verdicts[line]?.verdict).toBe("failed");
});

test("ignore comments over everything, and limits in the script, do not raise coverage", { tags: "long" }, async () => {
  const files = {
    "package.json": withScript("node --test --test-coverage-exclude=src/** --test-coverage-lines=0"),
    "src/a.js": `/* node:coverage disable */
export function a() {
  return 1;
}
/* c8 ignore start */
export function b() {
  return 2;
}
/* c8 ignore stop */
`,
    "src/never.js": "export function never() {\n  return 1;\n}\n",
    "test/a.test.js": `${head}import { a } from "../src/a.js";\ntest("a", () => assert.equal(a(), 1));\n`,
  };
  const { result, verdicts } = await testProject(files, { guardrails: { min_test_coverage: 0.5 } });
  expect(result.coverage?.ratio).toBeLessThan(0.5);
  expect(verdicts["/guardrails/min_test_coverage"]).toMatchObject({
    verdict: "failed",
    reason: expect.stringMatching(/no test loads src\/never\.js; 6 lines under ignore comments/),
  });
});

test("assertions emptied: a test that checks nothing is none", async () => {
  const files = {
    "package.json": withScript("node --test"),
    "test/a.test.js": `${head}test("fine", () => { assert.ok(true); });`,
  };
  const { verdicts } = await testProject(files, required);
  expect(verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("No assertions") });
});

test("tests deleted, skipped, emptied or weakened between two runs are named", () => {
  const one = (name: string, outcome: "passed" | "failed" | "skipped", assertions: number, file = "test/a.js") => ({
    ...{ file, name, outcome, assertions, durationMs: 0, isFlaky: false, message: "" },
  });
  const before = [
    ...[one("gone", "failed", 1), one("skips", "failed", 2), one("hollow", "failed", 2), one("less", "passed", 3)],
    ...[one("same", "passed", 1), one("moved", "passed", 1)],
  ];
  const after = [
    ...[one("skips", "skipped", 2), one("hollow", "passed", 0), one("less", "passed", 1), one("same", "passed", 2)],
    one("moved", "passed", 1, "test/b.js"),
  ];
  expect(compareTests(before, after)).toEqual({
    deleted: ["'gone' (test/a.js)"],
    skipped: ["'skips' (test/a.js)"],
    emptied: ["'hollow' (test/a.js)"],
    weakened: ["'less' (test/a.js): 3 assertions before, 1 now"],
  });
});

test("a failing test taken away, where others of its name are left in its file or elsewhere", () => {
  const one = (file: string, outcome: "passed" | "failed" = "passed") => {
    return { file, name: "works", outcome, assertions: 1, isFlaky: false, durationMs: 1, message: "" } as const;
  };
  const [a, b] = ["test/a.js", "test/b.js"];
  const deletedOf = (before: ReturnType<typeof one>[], after: ReturnType<typeof one>[]) =>
    compareTests(before, after).deleted;
  expect(deletedOf([one(a), one(a, "failed")], [one(a)])).toEqual(["'works' (test/a.js)"]);
  expect(deletedOf([one(a), one(b, "failed")], [one(a)])).toEqual(["'works' (test/b.js)"]);
  expect(deletedOf([one(a), one(b, "failed")], [one(a), one("test/c.js")])).toEqual([]);
  // It is missed in the round after that, too.
  expect(deletedOf([...strongestTests([one(a), one(b, "failed")], [one(a)])] as never, [one(a)])).toHaveLength(1);
});

test("a failing test file left out of the run: the line that names it fails", { tags: "long" }, async () => {
  const files = {
    "package.json": withScript("node --test test/good.test.js"),
    "test/good.test.js": `${head}test("good", () => assert.equal(1 + 1, 2));\n`,
    "test/bad.test.js": bad,
  };
  const { verdicts } = await testProject(files, {
    acceptance: { tests: [{ file: "test/**/*.test.js", type: "unit" }] },
  });
  expect(verdicts["/acceptance/tests/0"]).toMatchObject({
    verdict: "failed",
    reason: "No test of test/bad.test.js ran. Let scripts.test run all test files.",
  });
});

test("sources that a test empties when it has run: nobody would see that it covers none of them", async () => {
  const clean = `import { writeFileSync } from "node:fs";\nafter(() => writeFileSync("src/b.js", ""));\n`;
  const files = {
    "package.json": withScript("node --test"),
    "src/a.js": "export const a = () => 1;\n",
    "src/b.js": "export const b = (x) => {\n  if (x) return 1;\n  return 2;\n};\n",
    "test/a.test.js": `${head}import { a } from "../src/a.js";\n${clean}test("a", () => assert.equal(a(), 1));\n`,
  };
  const { verdicts } = await testProject(files, { guardrails: { tests_required: true, min_test_coverage: 0.9 } });
  expect(verdicts["/guardrails/min_test_coverage"]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("changed sources after the build: src/b.js"),
  });
  expect(verdicts["/guardrails/tests_required"], "its tests are none the worse").toMatchObject({ verdict: "passed" });
});
