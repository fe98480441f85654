import fc from "fast-check";
import { expect, test } from "vitest";
import { readRetryAfter } from "../../../src/platform/network/index.ts";

const nowMs = Date.parse("Sun, 15 Nov 2026 06:00:00 GMT");
const dayMs = 24 * 3600_000;

test("Retry-After is seconds or an HTTP date", () => {
  expect(readRetryAfter("3", nowMs)).toBe(3000);
  expect(readRetryAfter(" 3 ", nowMs)).toBe(3000);
  expect(readRetryAfter("Sun, 15 Nov 2026 06:00:30 GMT", nowMs)).toBe(30_000);
});

test("a date in the past asks for no wait", () => {
  expect(readRetryAfter("Sun, 15 Nov 2026 05:00:00 GMT", nowMs)).toBe(0);
});

test.each([undefined, "", " ", "soon", "-5", "1.5", "0x10", "1e3", "Infinity", "2026-11-15T07:00:00Z"])(
  "%j is neither",
  (value) => expect(readRetryAfter(value, nowMs)).toBeUndefined(),
);

test("every number of seconds and every date is honoured, up to a day", () => {
  fc.assert(
    fc.property(fc.nat(), (seconds) => {
      const expected = Math.min(seconds * 1000, dayMs);
      expect(readRetryAfter(String(seconds), nowMs)).toBe(expected);
      expect(readRetryAfter(new Date(nowMs + seconds * 1000).toUTCString(), nowMs)).toBe(expected);
    }),
  );
});

test("whatever a server sends, the wait is between nothing and a day", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Z][a-z]{2}[,0-9: ]*$/)), (text) => {
      const ms = readRetryAfter(text, nowMs) ?? 0;
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(dayMs);
    }),
  );
});
