import { expect, test } from "vitest";
import { readCoverage } from "../src/project/coverage-report.ts";
import { readFindings } from "../src/project/security-findings.ts";

test.each([
  "",
  "null",
  "[]",
  "1",
  '{"runs":1}',
  '{"runs":[null]}',
  '{"runs":[{"results":[null]}]}',
  '{"runs":[{"results":1}]}',
])("what is no report of findings is told as such: %s", (text) => {
  expect(readFindings(text)).toBeUndefined();
});

test("a finding has texts, whatever stands in their place", () => {
  const result = { ruleId: { a: 1 }, message: { text: ["<b>"] }, locations: [null] };
  const [finding] = readFindings(JSON.stringify({ runs: [{ results: [result] }, {}] }))!;
  expect(finding).toMatchObject({ rule: "[object Object]", message: "<b>", path: "", line: 0 });
});

const share = { covered: 1, total: 2 };
const whole = { lines: share, functions: share, ratio: 0.5, files: [{ path: "a.js", lines: share, functions: share }] };

test.each([
  "",
  "null",
  "[]",
  '{"files":[]}',
  JSON.stringify({ ...whole, files: [null] }),
  JSON.stringify({ ...whole, files: [{ path: "a.js" }] }),
  JSON.stringify({ ...whole, lines: null }),
])("what is no report of coverage is told as such: %s", (text) => {
  expect(readCoverage(text)).toBeUndefined();
});

test("a report of coverage is read", () => {
  expect(readCoverage(JSON.stringify(whole))).toEqual(whole);
});
