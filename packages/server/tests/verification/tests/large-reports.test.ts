import { expect, test } from "vitest";
import { readCoberturaReport, readJunitReport } from "../../../src/verification/tests/read-xml-report.ts";
import { measureHolding } from "../../support/measure-holding.ts";

const { signal } = new AbortController();
const junit = { maxCases: 20_000, suitesAre: "runs" } as const;

test("a report of megabytes is read beside the service, not instead of it", async () => {
  const cases = Array.from({ length: 30_000 }, (_, at) => `<testcase name="case ${at}" file="a.js" time="0.01"/>`);
  const xml = `<testsuites><testsuite name="all">${cases.join("\n")}</testsuite></testsuites>`;
  const { done: found, heldMs, tookMs } = await measureHolding(() => readJunitReport(xml, junit, signal));
  expect(found).toHaveLength(20_000);
  expect(found?.[7]).toMatchObject({ file: "a.js", name: "case 7", outcome: "passed" });
  expect(heldMs).toBeLessThan(tookMs / 2);
});

test("a large Cobertura file comes back whole; one that is no XML is none", async () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => `<line number="${at + 1}" hits="${at % 2}"/>`).join("");
  const xml = `<coverage><packages><package><classes><class filename="a.py"><lines>${rows}</lines></class></classes></package></packages></coverage>`;
  const found = await readCoberturaReport(xml, signal);
  expect(found?.files[0]?.lines.size).toBe(10_000);
  expect(await readCoberturaReport("x".repeat(200_000), signal)).toBeUndefined();
});

test("reading ends with the project", async () => {
  const stop = new AbortController();
  const xml = `<testsuites>${"<testsuite>".repeat(40_000)}`;
  const reading = readJunitReport(xml, junit, stop.signal);
  stop.abort(new Error("cancelled"));
  await expect(reading).rejects.toThrow("cancelled");
});
