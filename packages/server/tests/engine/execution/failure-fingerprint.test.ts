import { expect, test } from "vitest";
import { failureFingerprint } from "../../../src/engine/execution/failure-fingerprint.ts";

const of = (log: string, message = "") =>
  failureFingerprint({ commit: "1", folder: "/a/tree", log, error: { code: "build_failed", message } });

test("the same failure is known again, whatever time and folder its output names", () => {
  expect(of("at 2026-11-19 20:48:41 in 3 ms")).toBe(of("at 2026-11-19 20:49:02 in 4 ms"));
  // As npm names its logs.
  const log = (time: string) => `A complete log: /x/_logs/2026-11-19T20_${time}_534Z-debug-0.log`;
  expect(of(log("48_41"), log("48_41"))).toBe(of(log("49_02"), log("49_02")));
  expect(of("no file a")).not.toBe(of("no file b"));
});
