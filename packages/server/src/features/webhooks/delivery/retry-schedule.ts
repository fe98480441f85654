import { readRetryAfter } from "../../../platform/network/index.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The delay after each failure that counts; after the last of them the delivery fails for good. */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];
const jitter = 0.2;

/** Whose fault it is that an attempt failed. */
export type Fault = "receiver" | "network" | "us";

/** How an attempt went. */
export type Outcome =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: "unanswered"; readonly fault: Fault; readonly error: string };

/** What follows from an attempt; a retry that counts brings the delivery nearer to its last failure. */
export type Verdict =
  | { readonly type: "delivered" }
  | { readonly type: "retry"; readonly delayMs: number; readonly isCounted: boolean; readonly error: string }
  | { readonly type: "failed"; readonly error: string; readonly isGone: boolean };

export interface AttemptContext {
  /** Failures that counted, before this attempt. */
  readonly failures: number;
  /** The webhook is parked: this attempt is a trial and does not count. */
  readonly isTrial: boolean;
  readonly now: Date;
  /** From 0 to 1. */
  readonly chance: number;
}

/** What to do after an attempt. */
export function judge(outcome: Outcome, { failures, isTrial, now, chance }: AttemptContext): Verdict {
  if (hasArrived(outcome)) return { type: "delivered" };
  const error = describeFailure(outcome);
  if (outcome.kind === "answered" && outcome.status === 410) return { type: "failed", error, isGone: true };
  const isCounted = !isTrial && faultOf(outcome) !== "us";
  const base = retryDelaysMs[failures];
  if (base === undefined && isCounted) return { type: "failed", error, isGone: false };
  const delayMs = (base ?? 24 * hourMs) * (1 - jitter + 2 * jitter * chance);
  const askedMs = outcome.kind === "answered" ? readRetryAfter(outcome.retryAfter, now.getTime()) : undefined;
  // Never before the schedule: a short Retry-After would use up all attempts within minutes.
  return { type: "retry", delayMs: Math.max(delayMs, askedMs ?? 0), isCounted, error };
}

export function describeFailure(outcome: Outcome): string {
  if (outcome.kind === "unanswered") return outcome.error;
  const { status } = outcome;
  if (status === 410) return "The receiver says that it is gone (410).";
  if (status >= 300 && status < 400) return `The receiver answered ${status}: redirects are not followed.`;
  return `The receiver answered ${status}.`;
}

export function faultOf(outcome: Outcome): Fault | null {
  if (outcome.kind === "unanswered") return outcome.fault;
  return hasArrived(outcome) ? null : "receiver";
}

function hasArrived(outcome: Outcome): boolean {
  return outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300;
}
