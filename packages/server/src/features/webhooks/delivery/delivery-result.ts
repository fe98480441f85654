import type { StoredAttempt } from "./attempt-delivery.ts";
import type { Verdict } from "./retry-schedule.ts";

/** What became of a delivery. */
export interface DeliveryResult {
  readonly status: "pending" | "delivered" | "failed" | "withheld";
  readonly reason: string | null;
  /** Until the next attempt; null: there is none. */
  readonly delayMs: number | null;
  readonly isCounted: boolean;
  /** Null: nothing was posted. */
  readonly attempt: StoredAttempt | null;
}

export function resultOf(verdict: Verdict, attempt: StoredAttempt, scaleDelay: (ms: number) => number): DeliveryResult {
  switch (verdict.type) {
    case "delivered":
      return { status: "delivered", reason: null, delayMs: null, isCounted: false, attempt };
    case "retry": {
      const delayMs = scaleDelay(verdict.delayMs);
      return { status: "pending", reason: null, delayMs, isCounted: verdict.isCounted, attempt };
    }
    case "failed":
      return { status: "failed", reason: verdict.error, delayMs: null, isCounted: true, attempt };
  }
}

export function withheld(reason: string): DeliveryResult {
  return { status: "withheld", reason, delayMs: null, isCounted: false, attempt: null };
}
