import type { CompleteSpec } from "@slipway/spec";

/** Timeouts and retries of calls to models, agents and integrations. */
export interface NetworkLimits {
  readonly connectSeconds: number;
  /** Until the answer begins, and between its chunks. */
  readonly readSeconds: number;
  readonly maxAttempts: number;
  /** The factor by which the wait grows with each attempt. */
  readonly backoffFactor: number;
}

/** The operator's settings, completed by those of the document. */
export function networkLimits(set: Partial<NetworkLimits>, { network }: Pick<CompleteSpec, "network">): NetworkLimits {
  return {
    connectSeconds: set.connectSeconds ?? network.timeouts.connect_seconds,
    readSeconds: set.readSeconds ?? network.timeouts.read_seconds,
    maxAttempts: set.maxAttempts ?? network.retries.max_attempts,
    backoffFactor: set.backoffFactor ?? network.retries.backoff_factor,
  };
}

const firstWaitMs = 1_000;
const maxWaitMs = 60_000;

/** How long to wait after an attempt, counted from 1; the Retry-After of the other side counts, up to a minute. */
export function waitMs(attempt: number, { backoffFactor }: NetworkLimits, retryAfterMs: number | undefined): number {
  return Math.min(maxWaitMs, retryAfterMs ?? firstWaitMs * backoffFactor ** (attempt - 1));
}
