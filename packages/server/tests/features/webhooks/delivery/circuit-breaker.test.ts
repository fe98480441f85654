import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isAbandoned,
  isFailing,
  noteAttempt,
  parkMs,
  type RecentAttempts,
} from "../../../../src/features/webhooks/delivery/circuit-breaker.ts";

describe("a receiver is parked", () => {
  const minute = 60_000;
  const recentOf = (outcomes: readonly (readonly [atMs: number, hasArrived: boolean])[]) =>
    outcomes.reduce<RecentAttempts>((sum, [atMs, hasArrived]) => noteAttempt(sum, atMs, hasArrived), []);

  test("exactly when 7 of 10 or more attempts of the last five minutes failed", () => {
    const anyAttempts = fc.array(fc.tuple(fc.nat({ max: 9 * minute }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(anyAttempts, (attempts) => {
        const sorted = attempts.toSorted(([a], [b]) => a - b);
        const nowMs = 9 * minute + 1;
        const recent = sorted.filter(([atMs]) => Math.floor(atMs / minute) > Math.floor(nowMs / minute) - 5);
        const failed = recent.filter(([, hasArrived]) => !hasArrived).length;
        expect(isFailing(recentOf(sorted), nowMs)).toBe(recent.length >= 10 && failed >= recent.length * 0.7);
        expect(recentOf(sorted).length).toBeLessThanOrEqual(6);
      }),
    );
  });

  test("longer each time, up to an hour, and for good after five days", () => {
    expect([0, 1, 2, 5, 6, 100].map((parks) => parkMs(parks) / minute)).toEqual([1, 2, 4, 32, 60, 60]);
    const now = new Date("2026-11-15T09:30:00Z");
    expect(isAbandoned(now, new Date(now.getTime() + 5 * 24 * 60 * minute - 1))).toBe(false);
    expect(isAbandoned(now, new Date(now.getTime() + 5 * 24 * 60 * minute))).toBe(true);
  });
});
