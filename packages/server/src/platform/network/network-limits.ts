import type { CompleteSpec } from "@slipway/spec";

/** How calls to models, agents and integrations are made. */
export interface NetworkLimits {
  readonly connectSeconds: number;
  /** Until the answer begins, and between its pieces. */
  readonly readSeconds: number;
  readonly maxAttempts: number;
  /** What the wait is multiplied by after each attempt. */
  readonly backoffFactor: number;
}

/** What the operator set for the agent, and for the rest what the document says. */
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

/** How long to wait before the next attempt, the first being 1; what the other side asks for counts, within bounds. */
export function waitMs(attempt: number, { backoffFactor }: NetworkLimits, retryAfterMs: number | undefined): number {
  return Math.min(maxWaitMs, retryAfterMs ?? firstWaitMs * backoffFactor ** (attempt - 1));
}
