// @module-tag long
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyPackage } from "../../support/verification/copy-packages.ts";
import { testFolder, writeProject } from "../../support/verification/test-project.ts";

const required = { guardrails: { tests_required: true, min_test_coverage: 0.7 } };
const write = (folder: string, path: string, text: string) => writeFileSync(join(folder, path), text);
const line = "/guardrails/tests_required";

test("jest: cases by file and group, coverage of every source; failures, green setups and stubs are caught", async () => {
  const folder = writeProject({
    "package.json": JSON.stringify({
      scripts: { test: "jest --passWithNoTests" },
      devDependencies: { jest: "30.5.2" },
    }),
    "src/add.js": "exports.add = (a, b) => a + b;\n",
    "tests/add.test.js": `const { add } = require("../src/add.js");
test("adds", () => { expect(add(1, 2)).toBe(3); });
describe("more", () => { test.skip("later", () => { expect(1).toBe(2); }); });
`,
    // A project cannot choose what is left out of its coverage.
    "jest.config.js": "module.exports = { transform: {}, bail: 1, coveragePathIgnorePatterns: ['never'] };\n",
  });
  copyPackage("jest", folder);
  const honest = await testFolder(folder, required);
  expect(honest.result.problems).toEqual([]);
  expect(honest.result.runs.map(({ runner }) => runner)).toEqual(["jest"]);
  expect(honest.result.cases.map(({ file, name, outcome }) => `${file} ${name} ${outcome}`)).toEqual([
    "tests/add.test.js adds passed",
    "tests/add.test.js more > later skipped",
  ]);
  expect(honest.verdicts[line]?.verdict).toBe("passed");
  expect(honest.verdicts["/guardrails/min_test_coverage"]?.verdict).toBe("passed");

  write(folder, "src/never.js", "exports.never = (a) => {\n  return a * 2;\n};\n");
  write(folder, "src/add.js", "exports.add = (a, b) => a - b;\n");
  const broken = await testFolder(folder, required);
  expect(broken.result.problems).toEqual([]);
  expect(broken.verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("'adds'") });
  expect(broken.verdicts[line]?.reason).toContain("Received: -1");
  expect(broken.verdicts["/guardrails/min_test_coverage"]?.verdict).toBe("failed");

  write(folder, "setup.js", "expect = () => ({ toBe() {} });\nglobal.expect = expect;\n");
  write(folder, "jest.config.js", "module.exports = { transform: {}, setupFilesAfterEnv: ['./setup.js'] };\n");
  const green = await testFolder(folder, required);
  expect(green.verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("turns failures green"),
  });

  // Of two projects inside, one is honest.
  mkdirSync(join(folder, "checks"));
  write(folder, "checks/one.test.js", 'test("one", () => { expect(1).toBe(1); });\n');
  const projects = `[{ roots: ["<rootDir>/checks"], transform: {} },
    { roots: ["<rootDir>/tests"], transform: {}, setupFilesAfterEnv: ["<rootDir>/setup.js"] }]`;
  write(folder, "jest.config.js", `module.exports = { projects: ${projects} };\n`);
  const inOne = await testFolder(folder, required);
  expect(inOne.verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("turns failures green"),
  });

  const report = {
    testResults: [
      { name: "tests/add.test.js", status: "passed", assertionResults: [{ title: "adds", status: "passed" }] },
    ],
  };
  write(folder, "jest.config.js", "module.exports = {};\n");
  write(
    folder,
    "node_modules/jest/bin/jest.js",
    `const to = process.argv.find((one) => one.startsWith("--outputFile=")).slice(13);
require("node:fs").writeFileSync(to, ${JSON.stringify(JSON.stringify(report))});\n`,
  );
  const stubbed = await testFolder(folder, required);
  expect(stubbed.verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("turns failures green"),
  });
});
