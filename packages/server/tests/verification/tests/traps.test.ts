import { expect, test } from "vitest";
import type { TestCase } from "../../../src/verification/tests/test-case.ts";
import { whyUntrusted } from "../../../src/verification/tests/traps.ts";

const trap = { path: "test/t0ken.test.js", token: "t0ken" };
const end = { exitCode: 1, output: "" };

function reported(name: string, outcome: TestCase["outcome"], message = ""): TestCase {
  return { file: trap.path, name, outcome, message, durationMs: 1, isFlaky: false };
}

test("a report in which all of our tests fail is believed", () => {
  const cases = [reported("t0ken throws", "failed"), reported("t0ken compares", "failed")];
  expect(whyUntrusted("node:test", cases, [trap], end)).toEqual([]);
});

test.each([
  ["one of our tests passes", [reported("t0ken throws", "failed"), reported("t0ken compares", "passed")], end],
  [
    "the runner is content",
    [reported("t0ken throws", "failed"), reported("t0ken compares", "failed")],
    { exitCode: 0, output: "" },
  ],
])("a report in which %s is not", (_, cases, ended) => {
  expect(whyUntrusted("node:test", cases, [trap], ended)).toEqual([expect.stringContaining("turns failures green")]);
});

test("a file of ours that could not be loaded is told by what the runner said", () => {
  const cases = [reported("test/t0ken.test.js", "failed", "Invalid package config /x/package.json.")];
  expect(whyUntrusted("node:test", cases, [trap], end)).toEqual([
    "node:test reports 1 of 2 tests of a file that was added beside 'test': Invalid package config /x/package.json.",
  ]);
});
