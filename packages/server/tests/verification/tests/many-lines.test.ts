// @module-tag long
import { resolveSpec, type SpecDocument } from "@slipway/spec";
import { expect, test } from "vitest";
import { findTests } from "../../../src/verification/tests/find-tests.ts";
import { judgeTests, type TestCase, type TestsResult } from "../../../src/verification/tests/index.ts";
import { rustTestPlaces, whyOwnHarness } from "../../../src/verification/tests/locate-rust-tests.ts";
import { switchOff as offInPython } from "../../../src/verification/types/check-python.ts";
import { switchOff as offInTypescript } from "../../../src/verification/types/check-typescript.ts";
import { type Workplace, whySwitchedOff } from "../../../src/verification/types/run-checker.ts";
import { measureHolding } from "../../support/measure-holding.ts";
import { documentOf } from "../../support/releases/stage.ts";
import { folderWith } from "../../support/scans/scan-files.ts";

test("lines by the hundred over a thousand test files are judged beside the service, not instead of it", {
  tags: "long",
}, async () => {
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
    ...{
      runs: [{ command: "node --test", runner: "node:test", exitCode: 1, isOffline: true, durationMs: 1 }],
      cases,
      isCounted: true,
    },
    ...{
      problems: [],
      testFiles: files,
      found: [],
      lookedFor: [],
      uncounted: [],
      durationMs: 1,
      log: "",
    },
  };
  const judged = await measureHolding(async () => judgeTests(document, result, new AbortController().signal));
  const told = judged.done.filter(({ pointer }) => pointer.startsWith("/acceptance")).map(({ verdict }) => verdict);
  expect(told).toEqual(["passed", "failed", ...files.slice(0, 40).map(() => "passed")]);
  expect(judged.heldMs).toBeLessThan(judged.tookMs / 2);
});

test.each([
  ["line feeds", "\n"],
  ["carriage returns", "\r"],
  ["separators", "\u2028"],
])(
  "tests, sources and manifests of 300,000 %s are looked through, which once took minutes",
  { tags: "long" },
  async (_, lineEnd) => {
    const { signal } = new AbortController();
    const empty = lineEnd.repeat(300_000);
    const folder = await folderWith({ "test_a.py": empty, "a.ts": empty, "Cargo.toml": empty });
    const { steps } = await findTests(documentOf("library"), folder, signal);
    expect(steps).toMatchObject([{ runner: "unittest" }]);
    const place = { folder, signal };
    expect(await rustTestPlaces({ ...place, all: ["Cargo.toml"] })).toEqual([]);
    expect(await whyOwnHarness({ toTest: place, files: { all: ["Cargo.toml"] } } as never)).toBeUndefined();
    const workplace = { toCheck: place } as Workplace;
    expect(await whySwitchedOff(workplace, ["a.ts"], offInTypescript)).toBeUndefined();
    expect(await whySwitchedOff(workplace, ["test_a.py"], offInPython)).toBeUndefined();
  },
);
