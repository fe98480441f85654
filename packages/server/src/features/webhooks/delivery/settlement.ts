import type { Verdict } from "../schedule.ts";
import type { Attempted } from "./attempt.ts";
import type { Ending, Held } from "./claimed.ts";
import type { ClaimedDelivery } from "./store.ts";

/** Why a delivery is not sent at all; nothing if it is. */
export function whyWithheld({ data, mayRead }: ClaimedDelivery): string | undefined {
  if (data === null) return "The project is gone.";
  return mayRead ? undefined : "The webhook's owner may not read the project.";
}

export function withheldAs(reason: string): Ending {
  return { status: "withheld", reason, delayMs: null, isCounted: false, attempt: null };
}

/** What is written down after an attempt. */
export function endingOf(verdict: Verdict, attempt: Attempted["record"], scaleDelay: (ms: number) => number): Ending {
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

/** An attempt that did not come about, by a fault of ours. */
export function failedHere({ attemptCount }: Pick<Held, "attemptCount">, now: Date, url: string): Attempted {
  const error = "The service itself failed; the logs know more.";
  return {
    outcome: { kind: "unanswered", fault: "us", error },
    record: {
      number: attemptCount + 1,
      at: now.toISOString(),
      duration_ms: 0,
      connect_ms: null,
      request: { url, body_bytes: 0, body_sha256: "" },
      response: null,
      fault: "us",
      error,
    },
  };
}
