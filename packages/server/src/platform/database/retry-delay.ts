export interface RetryPace {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The delay before the next attempt: exponential, with jitter so that many clients do not retry at once. */
export function retryDelayMs(attempt: number, { firstMs, maxMs }: RetryPace): number {
  const delayMs = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return delayMs * (0.75 + Math.random() * 0.25);
}
