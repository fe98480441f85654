import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge, type Outcome, retryDelaysMs } from "../../../../src/features/webhooks/delivery/retry-schedule.ts";

const now = new Date("2026-11-15T09:30:00Z");
const answered = (status: number, retryAfter?: string): Outcome => ({ kind: "answered", status, retryAfter });

describe("after an attempt", () => {
  test("delays are those of the schedule, give or take a fifth; then it is given up", () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
        const verdict = judge(answered(500), { failures, isTrial: false, now, chance });
        const base = retryDelaysMs[failures];
        if (base === undefined) expect(verdict).toMatchObject({ type: "failed", isGone: false });
        else {
          expect(verdict).toMatchObject({ type: "retry", isCounted: true });
          const { delayMs } = verdict as { delayMs: number };
          expect(delayMs).toBeGreaterThanOrEqual(base * 0.8 - 1);
          expect(delayMs).toBeLessThanOrEqual(base * 1.2 + 1);
        }
      }),
    );
    expect(retryDelaysMs.map((ms) => ms / 1000)).toEqual([
      5, 30, 120, 600, 1800, 3600, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
  });

  test("every 2xx is success, 410 is the end, and all else is tried again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
        const { type } = judge(answered(status), { failures: 0, isTrial: false, now, chance: 0.5 });
        expect(type).toBe(status >= 200 && status < 300 ? "delivered" : status === 410 ? "failed" : "retry");
      }),
    );
  });

  test("it is not tried before the receiver asks for it, nor later than a day because of that", () => {
    const delayAfter = (retryAfter: string) =>
      (judge(answered(503, retryAfter), { failures: 0, isTrial: false, now, chance: 0.5 }) as { delayMs: number })
        .delayMs;
    expect(delayAfter("120")).toBe(120_000);
    expect(delayAfter("1")).toBe(5_000);
    expect(delayAfter("Sun, 15 Nov 2026 09:40:00 GMT")).toBe(600_000);
    expect(delayAfter("Sun, 15 Nov 2020 09:40:00 GMT")).toBe(5_000);
    expect(delayAfter("999999999")).toBe(24 * 3600_000);
  });

  test("neither a trial of a parked webhook nor a fault of ours uses up attempts", () => {
    const ours: Outcome = { kind: "unanswered", fault: "us", error: "x" };
    for (const [outcome, isTrial] of [
      [answered(500), true],
      [ours, false],
    ] as const)
      for (const failures of [0, 5, 12, 50])
        expect(judge(outcome, { failures, isTrial, now, chance: 0.5 })).toMatchObject({
          type: "retry",
          isCounted: false,
        });
  });
});
