import { resolveSpec, type SpecDocument } from "@slipway/spec";
import { expect, test } from "vitest";
import { judgeTests, type TestCase, type TestsResult } from "../../../src/verification/tests/index.ts";
import { measureHolding } from "../../support/measure-holding.ts";

test("lines by the hundred over a thousand test files are judged beside the service, not instead of it", async () => {
  const files = Array.from({ length: 1_000 }, (_, at) => `test/unit/f${at}.test.js`);
  const globs = [
    "test/unit/f7.test.js",
    "test/none.test.js",
    ...files.slice(0, 40).map((file) => `test/**/${file.slice(10)}*`),
  ];
  const document = resolveSpec({
    ...{ spec_version: "1.0.0", id: "tested", name: "Tested", description: "d", outcome_type: "library", stack: {} },
    acceptance: { tests: globs.map((file) => ({ file, type: "integration" })) },
  } as unknown as SpecDocument).document;
  const cases = files.map(
    (file): TestCase => ({
      ...{ file, name: "works", outcome: "passed", durationMs: 1, isFlaky: false, message: "" },
    }),
  );
  const result: TestsResult = {
    ...{ runs: [{ command: "node --test", runner: "node:test", exitCode: 1, durationMs: 1 }], cases, isCounted: true },
    ...{
      problems: [],
      testFiles: files,
      found: [],
      lookedFor: [],
      uncounted: [],
      coverageOf: {},
      durationMs: 1,
      log: "",
    },
  };
  const judged = await measureHolding(async () => judgeTests(document, result, new AbortController().signal));
  const told = judged.done.filter(({ pointer }) => pointer.startsWith("/acceptance")).map(({ verdict }) => verdict);
  expect(told).toEqual(["passed", "failed", ...files.slice(0, 40).map(() => "passed")]);
  expect(judged.heldMs).toBeLessThan(judged.tookMs / 2);
});
