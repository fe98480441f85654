import { expect, test } from "vitest";
import { heartbeatMs } from "../../../src/app/worker/lease-work.ts";

test.each([
  [20, 20_000],
  [0, 1_000],
  [-5, 1_000],
  [0.001, 1_000],
  [Number.NaN, 1_000],
  [3_600, 60_000],
  // A timer of more than 24 days ends at once.
  [1e12, 60_000],
  [Number.POSITIVE_INFINITY, 60_000],
])("a service that asks for a heartbeat every %d seconds gets one after %d ms", (seconds, ms) => {
  expect(heartbeatMs({ heartbeat_seconds: seconds })).toBe(ms);
});

test.each(["soon", null, undefined, {}])("one that asks for %o gets one every second", (seconds) => {
  expect(heartbeatMs({ heartbeat_seconds: seconds as unknown as number })).toBe(1_000);
});
