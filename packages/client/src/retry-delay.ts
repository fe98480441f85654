import type { Method } from "@slipway/contract";
import { ConnectionError, SlipwayError } from "./errors.ts";

export interface FailedCall {
  readonly method: Method;
  readonly error: unknown;
  /** How many tries have failed: 1 after the first. */
  readonly failures: number;
  readonly retries: number;
}

const firstDelayMs = 200;
const longestDelayMs = 5_000;
/** A server that asks for more patience is told of instead. */
const longestRetryAfterMs = 10_000;

/**
 * How long to wait before a call is tried again; nothing: it is not. Reads and PUTs may be repeated as they are, POSTs because
 * they carry an idempotency key. Others only if nothing was done: a DELETE that was cut off may be, and its repeat would say 404.
 */
export function retryDelayMs({ method, error, failures, retries }: FailedCall): number | undefined {
  if (failures > retries) return undefined;
  const isRepeatable = method === "GET" || method === "PUT" || method === "POST";
  if (error instanceof ConnectionError) return isRepeatable ? backoffMs(failures) : undefined;
  if (!(error instanceof SlipwayError) || !error.isTransient) return undefined;
  if (!isRepeatable && error.status !== 429 && error.status !== 503) return undefined;
  const asked = error.retryAfterMs ?? 0;
  return asked > longestRetryAfterMs ? undefined : Math.max(asked, backoffMs(failures));
}

/** Doubles with each failure up to a bound; scattered, so that many clients do not come back at once. */
export function backoffMs(failures: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 4);
}
