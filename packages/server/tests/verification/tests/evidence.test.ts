// @module-tag long
import { expect, test } from "vitest";
import { evidenceOf } from "../../../src/verification/tests/index.ts";
import { countTurns } from "../../support/count-turns.ts";

test("thousands of tests with odd names are written in turns, and not all that they say", {
  tags: "long",
}, async () => {
  const cases = Array.from({ length: 6_000 }, (_, at) => ({
    ...{ file: `${at % 3}.test.js`, name: `${at}`.padEnd(300, '&<"'), outcome: "failed" as const },
    ...{ durationMs: 1, isFlaky: false, message: `${at}: ${'&<"'.repeat(300)}` },
  }));
  const turns = countTurns();
  const [results, kept] = await evidenceOf({ cases, runs: [], problems: [], isCounted: true, durationMs: 1 } as never);
  expect(turns()).toBeGreaterThan(10);
  expect(JSON.parse(kept!.text)).toHaveLength(6_000);
  expect((JSON.parse(kept!.text) as unknown[])[7]).toEqual({ ...cases[7], message: "" });
  expect(results!.text.match(/<testcase /g)).toHaveLength(6_000);
  expect(results!.text).toContain('<failure message="0: &amp;&lt;');
  expect(results!.text.match(/<failure message="\d/g)!.length).toBeLessThan(5_000);
});
