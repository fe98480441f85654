export interface RetryPace {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** How long to wait before the next attempt: doubling, with a little chance so that many do not come at once. */
export function retryDelayMs(attempt: number, { firstMs, maxMs }: RetryPace): number {
  const delayMs = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return delayMs * (0.75 + Math.random() * 0.25);
}
