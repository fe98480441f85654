import { expect, test } from "vitest";
import type { TestCase } from "../../../src/verification/tests/test-case.ts";
import { springTraps, whyUntrusted } from "../../../src/verification/tests/traps.ts";
import { countTurns } from "../../support/count-turns.ts";

const trap = { path: "test/t0ken.test.js", token: "t0ken" };
const end = { exitCode: 1, output: "" };

function reported(name: string, outcome: TestCase["outcome"], message = ""): TestCase {
  return { file: trap.path, name, outcome, message, durationMs: 1, isFlaky: false };
}

test("a report in which all of our tests fail is believed", async () => {
  const cases = [reported("t0ken throws", "failed"), reported("t0ken compares", "failed")];
  expect(whyUntrusted("node:test", cases, await springTraps(cases, [trap]), end)).toEqual([]);
});

test.each([
  ["one of our tests passes", [reported("t0ken throws", "failed"), reported("t0ken compares", "passed")], end],
  [
    "the runner is content",
    [reported("t0ken throws", "failed"), reported("t0ken compares", "failed")],
    { exitCode: 0, output: "" },
  ],
])("a report in which %s is not", async (_, cases, ended) => {
  expect(whyUntrusted("node:test", cases, await springTraps(cases, [trap]), ended)).toEqual([
    expect.stringContaining("turns failures green"),
  ]);
});

test("a file of ours that could not be loaded is told by what the runner said", async () => {
  const cases = [reported("test/t0ken.test.js", "failed", "Invalid package config /x/package.json.")];
  expect(whyUntrusted("node:test", cases, await springTraps(cases, [trap]), end)).toEqual([
    "node:test reports 1 of 2 tests of a file that was added beside 'test': Invalid package config /x/package.json.",
  ]);
});

test("hundreds of files of ours are looked for among thousands of tests in steps, however long their names are", async () => {
  const traps = Array.from({ length: 500 }, (_, at) => ({
    path: `f${at}/x.py`,
    token: `t${String(at).padStart(10, "0")}`,
  }));
  let reads = 0;
  const long = (name: string): TestCase => ({
    ...reported("", "passed"),
    file: "f1/a.py",
    get name() {
      reads += 1;
      return name;
    },
  });
  const ours = reported(`test_${traps[7]!.token}_throws`, "failed");
  const cases = [...Array.from({ length: 20_000 }, (_, at) => long(`${"t".repeat(290)}${at}`)), ours];
  const turns = countTurns();
  const sprung = await springTraps(cases, traps);
  expect(turns()).toBeGreaterThan(1);
  expect(reads).toBe(20_000);
  expect(sprung.filter((one) => one.cases.length > 0)).toEqual([{ ...traps[7], cases: [ours] }]);
});
