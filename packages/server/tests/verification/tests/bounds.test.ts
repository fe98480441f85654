// @module-tag soak
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { readGoProfile } from "../../../src/verification/tests/code-coverage/read-go-profile.ts";
import { readSourceLines } from "../../../src/verification/tests/code-coverage/source-lines.ts";
import { testProject } from "../../support/verification/test-project.ts";

// Each of these, but the first, pushed something bad beyond what was looked at, and was green.

const line = "/guardrails/tests_required";
const required = { guardrails: { tests_required: true } };
const manifest = JSON.stringify({ type: "module", scripts: { test: "node --test" } });
const head = 'import assert from "node:assert";\nimport { describe, test } from "node:test";\n';
const good = 'test("good", () => assert.equal(1 + 1, 2));\n';
const padding = (length: number) => `/*${" ".repeat(length)}*/\n`;
const hasPytest = spawnSync("/usr/bin/python3", ["-I", "-c", "import pytest, coverage"]).status === 0;

test("a test that fails in more than a hundred groups is not green", { tags: "long" }, async () => {
  const deep = `${'describe("d", () => {'.repeat(101)}test("bad", () => assert.equal(1, 2));${"});".repeat(101)}\n`;
  const files = { "package.json": manifest, "test/a.test.js": `${head}${good}${deep}` };
  expect((await testProject(files, required)).verdicts[line]?.verdict).toBe("failed");
});

test.skipIf(!hasPytest)("a test for pytest is run after two hundred files of unittest", { tags: "long" }, async () => {
  const unit = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n";
  const others = Array.from({ length: 200 }, (_, index) => [`tests/test_a${index}.py`, unit]);
  const files = { ...Object.fromEntries(others), "tests/test_z.py": "def test_bad():\n    assert 1 == 2\n" };
  expect((await testProject(files, required)).verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("test_bad"),
  });
});

test.each(
  soakCases([
    ["in a file that is too large to be read", `test("idle", () => {});\n${padding(17 * 1024 * 1024)}`],
    [
      "by the hundred in a padded file",
      `for (let i = 0; i < 600; i += 1) test("t" + i, () => {});\n${padding(1_000_000)}`,
    ],
  ]),
)("tests that check nothing, %s, are not green", { tags: "long" }, async (_, text) => {
  const files = { "package.json": manifest, "test/a.test.js": `import { test } from "node:test";\n${text}` };
  expect((await testProject(files, required)).verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("passed without checking anything"),
  });
});

test.each([
  ["the last of many", 'for (let i = 0; i < 201; i += 1) write(String(i).padStart(3, "0"), i === 200, 0);', "t200"],
  ["one that is too large", 'write("a", false, 0); write("b", true, 17 * 1024 * 1024);', "cannot be read"],
])("a report of a failure is not left out, be it %s", async (_, writes, reason) => {
  const check = `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("out");
const write = (name, isBad, padding) => writeFileSync("out/" + name + ".xml", '<testsuite><testcase name="t' + name + '" file="test/a.js">' + (isBad ? "<failure/>" : "") + "</testcase></testsuite>" + " ".repeat(padding));
${writes}
`;
  const files = { "check.mjs": check, "test/a.js": "assert.ok(1);\n" };
  const { verdicts } = await testProject(files, { ...required, scripts: { test: "node check.mjs" } });
  expect(verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining(reason) });
});

test("a source that is too large to be read counts for the coverage", async () => {
  const files = {
    ...{ "package.json": manifest, "src/a.js": "export const a = () => 1;\n" },
    "src/b.js": `export const b = () => 1;\n${padding(17 * 1024 * 1024)}`,
    "test/a.test.js": `${head}import { a } from "../src/a.js";\ntest("a", () => assert.equal(a(), 1));\n`,
  };
  const { verdicts } = await testProject(files, { guardrails: { tests_required: true, min_test_coverage: 0.9 } });
  expect(verdicts["/guardrails/min_test_coverage"]).toMatchObject({
    verdict: "not_checked",
    reason: expect.stringContaining("src/b.js"),
  });
});

test("code that is indented by a thousand blanks is code", () => {
  const text = `${" ".repeat(1_000)}export const run = () => 1;\n`;
  expect(readSourceLines({ path: "a.ts", text, language: "javascript" })).toMatchObject({
    ...{ isEmpty: false, functionLines: [1] },
  });
});

test("a profile of Go that repeats itself does not push out what comes after", { tags: "long" }, () => {
  const profile = `mode: set\n${"a/a.go:1.1,500000.1 1 1\n".repeat(2)}a/z.go:1.1,2.1 1 0\n`;
  expect(readGoProfile(profile)?.files.at(-1)?.lines.size).toBe(2);
  expect(() => readGoProfile(`mode: set\n${"a/a.go:1.1,5000000.1 1 1\n".repeat(2)}`)).toThrow("tells of more than");
});
