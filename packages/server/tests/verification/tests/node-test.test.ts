import { expect, test } from "vitest";
import { evidenceOf } from "../../../src/verification/tests/index.ts";
import { testProject } from "../../support/verification/test-project.ts";

const required = { guardrails: { tests_required: true } };
const manifest = JSON.stringify({ type: "module", scripts: { test: "node --test" } });
const source =
  "export function add(a, b) {\n  return a + b;\n}\n\nexport function double(a) {\n  return add(a, a);\n}\n";
const head = 'import assert from "node:assert";\nimport { describe, test } from "node:test";\n';

const honest = {
  "package.json": manifest,
  "src/add.js": source,
  "test/unit/add.test.js": `${head}import { add } from "../../src/add.js";
test("adds", () => assert.equal(add(1, 2), 3));
describe("more", () => { test.skip("later", () => {}); });
`,
  "test/integration/double.test.js": `${head}import { double } from "../../src/add.js";
test("doubles", () => assert.equal(double(2), 4));
`,
};

test("a project with passing tests passes: counted, typed, covered", async () => {
  const { result, verdicts } = await testProject(honest, {
    guardrails: { tests_required: true, test_types_required: ["unit", "integration"], min_test_coverage: 0.9 },
    acceptance: {
      tests: [
        { file: "test/unit/**/*.test.js", type: "unit", framework: "node:test", coverage_threshold: 0.5 },
        { file: "test/unit/**/*.test.js", type: "unit", coverage_threshold: 0.9 },
        { file: "test/none/**", type: "e2e" },
        { file: "test/unit/**", type: "unit", framework: "vitest" },
      ],
    },
  });
  expect(result.problems).toEqual([]);
  expect(result.cases.map(({ file, name, outcome }) => `${file} ${name} ${outcome}`).sort()).toEqual([
    "test/integration/double.test.js doubles passed",
    "test/unit/add.test.js adds passed",
    "test/unit/add.test.js more > later skipped",
  ]);
  expect(result.coverage?.ratio).toBe(1);
  const told = Object.fromEntries(Object.entries(verdicts).map(([pointer, { verdict }]) => [pointer, verdict]));
  expect(told).toEqual({
    "/guardrails/tests_required": "passed",
    "/guardrails/test_types_required": "passed",
    "/guardrails/min_test_coverage": "passed",
    "/acceptance/tests/0": "passed",
    "/acceptance/tests/1": "passed",
    "/acceptance/tests/2": "failed",
    "/acceptance/tests/3": "failed",
  });
  expect(verdicts["/acceptance/tests/1"]?.reason).toContain("All tests together: 100 % covered");
  expect(verdicts["/acceptance/tests/2"]?.reason).toBe("No file matches 'test/none/**'.");
  const [xml, , coverage] = await evidenceOf(result);
  expect(xml).toMatchObject({ type: "test_results" });
  expect(xml?.text).toContain('<testcase file="test/unit/add.test.js" name="adds"');
  expect(JSON.parse(coverage!.text)).toMatchObject({ ratio: 1, method: "lcov" });
});

test("a failing test fails the project, required or not", async () => {
  const failing = {
    ...honest,
    "test/unit/bad.test.js": `${head}test("bad <&>", () => assert.equal(1, 2, "no\\u0007pe"));`,
  };
  const { verdicts } = await testProject(failing);
  expect(verdicts["/guardrails/tests_required"]).toMatchObject({ verdict: "failed" });
  expect(verdicts["/guardrails/tests_required"]?.reason).toContain("'bad <&>' (test/unit/bad.test.js): no pe");
});

test("no tests where they are required: failed, with what was looked for", async () => {
  const { verdicts } = await testProject({ "package.json": "{}", "src/add.js": source }, required);
  expect(verdicts["/guardrails/tests_required"]?.verdict).toBe("failed");
  expect(verdicts["/guardrails/tests_required"]?.reason).toMatch(/^No tests were found\. Looked for: scripts\.test/);
});

test("only skipped tests are none", async () => {
  const skipped = { "package.json": manifest, "test/a.test.js": `${head}test.skip("later", () => assert.ok(0));` };
  const { verdicts } = await testProject(skipped, required);
  expect(verdicts["/guardrails/tests_required"]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("skipped"),
  });
});

test("a test that fails each time is not flaky because another one of its name passes", { tags: "long" }, async () => {
  const long = "x".repeat(400);
  const namesakes = {
    "package.json": manifest,
    "test/a.test.js": `${head}for (const sum of [2, 3]) test("adds", () => assert.equal(1 + 1, sum));
test("${long} well", () => assert.ok(true));
test("${long} broken", () => assert.ok(false));`,
  };
  const { result, verdicts } = await testProject(namesakes, required);
  expect(result.cases.map(({ outcome }) => outcome).toSorted()).toEqual(["failed", "failed", "passed", "passed"]);
  expect(verdicts["/guardrails/tests_required"]).toMatchObject({ verdict: "failed" });
});

test("a test that passes on the second try is flaky", async () => {
  const flaky = {
    "package.json": manifest,
    "test/a.test.js": `${head}import { existsSync, writeFileSync } from "node:fs";
test("second try", () => { const was = existsSync("tried"); writeFileSync("tried", ""); assert.ok(was); });`,
  };
  const { result, verdicts } = await testProject(flaky, required);
  expect(result.cases).toMatchObject([{ name: "second try", outcome: "passed", isFlaky: true }]);
  expect(verdicts["/guardrails/tests_required"]).toMatchObject({
    verdict: "passed",
    reason: expect.stringContaining("1 flaky"),
  });
});
