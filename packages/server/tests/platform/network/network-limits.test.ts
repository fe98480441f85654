import { expect, test } from "vitest";
import { networkLimits, waitMs } from "../../../src/platform/network/index.ts";
import { workIn } from "../../support/agents/plain-host.ts";

const { document } = workIn("unused");

test("what the operator has not set is as the document says", () => {
  expect(networkLimits({ readSeconds: 120 }, document)).toEqual({
    connectSeconds: 5,
    readSeconds: 120,
    maxAttempts: 3,
    backoffFactor: 2,
  });
});

test("the wait grows with each attempt, and never beyond a minute", () => {
  const limits = networkLimits({}, document);
  expect([1, 2, 3, 10].map((attempt) => waitMs(attempt, limits, undefined))).toEqual([1000, 2000, 4000, 60_000]);
  expect(waitMs(1, limits, 7_000)).toBe(7_000);
  expect(waitMs(1, limits, 3_600_000)).toBe(60_000);
});
