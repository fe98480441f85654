// @module-tag soak
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { copyPackage } from "../../support/verification/copy-packages.ts";
import { testFolder, testProject, writeProject } from "../../support/verification/test-project.ts";

// What fails around all tests is told by an exit code alone, which is that of our own tests that fail.

const required = { guardrails: { tests_required: true } };
const line = "/guardrails/tests_required";
const failed = { verdict: "failed", reason: expect.stringContaining("what the project runs around them failed") };
const setup = (isWell: boolean) =>
  `export default function () { return () => { if (!${isWell}) throw new Error("a server still runs"); }; }\n`;

test("node:test: a teardown that fails", async () => {
  const project = (isWell: boolean) => ({
    "package.json": JSON.stringify({
      type: "module",
      scripts: { test: "node --test --test-global-setup=./around.js" },
    }),
    "around.js": `export function globalTeardown() { if (!${isWell}) throw new Error("a server still runs"); }\n`,
    "test/a.test.js":
      'import assert from "node:assert";\nimport test from "node:test";\ntest("sum", () => assert.equal(1 + 1, 2));\n',
  });
  expect((await testProject(project(false), required)).verdicts[line]).toMatchObject(failed);
  expect((await testProject(project(true), required)).verdicts[line]).toMatchObject({ verdict: "passed" });
});

test("vitest: a teardown that fails; a test that its settings repeat is flaky", { tags: "long" }, async () => {
  const project = (isWell: boolean) => {
    const folder = writeProject({
      "package.json": JSON.stringify({ type: "module", scripts: { test: "vitest run" } }),
      "around.js": setup(isWell),
      "vitest.config.js": "export default { test: { globalSetup: './around.js', retry: 3 } };\n",
      "tests/sum.test.js": `import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
test("sum", () => {
  const isSecond = existsSync("second");
  writeFileSync("second", "");
  expect(isSecond).toBe(true);
});
`,
    });
    copyPackage("vitest", folder);
    return testFolder(folder, required);
  };
  expect((await project(false)).verdicts[line]).toMatchObject({ verdict: "failed" });
  const { verdicts, result } = await project(true);
  expect(verdicts[line]).toMatchObject({ verdict: "passed" });
  expect(result.cases).toMatchObject([{ name: "sum", outcome: "passed", isFlaky: true }]);
});

test("jest: a teardown that fails", { tags: "long" }, async () => {
  const project = (isWell: boolean) => {
    const folder = writeProject({
      "package.json": JSON.stringify({ scripts: { test: "jest" }, devDependencies: { jest: "30.5.2" } }),
      "around.js": `module.exports = () => { if (!${isWell}) throw new Error("a server still runs"); };\n`,
      // A threshold counts where a project measures its coverage itself.
      "jest.config.js":
        "module.exports = { transform: {}, globalTeardown: './around.js', coverageThreshold: { global: { lines: 100 } } };\n",
      "src/never.js": "exports.never = () => {\n  return 1;\n};\n",
      "tests/sum.test.js":
        'const { never } = require("../src/never.js");\ntest("sum", () => { expect(typeof never).toBe("function"); });\n',
    });
    copyPackage("jest", folder);
    return testFolder(folder, required);
  };
  expect((await project(false)).verdicts[line]).toMatchObject({ verdict: "failed" });
  expect((await project(true)).verdicts[line]).toMatchObject({ verdict: "passed" });
});

test.skipIf(spawnSync("/usr/bin/python3", ["-I", "-c", "import pytest"]).status !== 0).for(
  soakCases([
    ["raise Exception('a server still runs')", "failed"],
    ["session.exitstatus = exitstatus or 1", "failed"],
    ["pass", "passed"],
  ]),
)("pytest: a session that ends with %j has %s", { tags: "long" }, async ([code, expected]) => {
  const files = {
    "tests/conftest.py": `def pytest_sessionfinish(session, exitstatus):\n    ${code}\n`,
    "tests/test_a.py": "def test_a():\n    assert 1 + 1 == 2\n",
  };
  expect((await testProject(files, required)).verdicts[line]).toMatchObject({ verdict: expected });
});
