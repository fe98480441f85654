import { ConnectionError, SlipwayError } from "./errors.ts";

export interface FailedCall {
  readonly method: string;
  readonly error: unknown;
  /** The number of failed attempts: 1 after the first. */
  readonly failures: number;
  readonly retries: number;
}

const firstDelayMs = 200;
const maxDelayMs = 5_000;
/** If the server asks to wait longer, the call fails with its answer instead. */
const maxRetryAfterMs = 10_000;

/**
 * How long to wait before a retry; undefined: no retry. Reads and PUTs can be repeated, POSTs because they carry an
 * idempotency key. Others only if the server did nothing: a DELETE that was cut off may be done, and a retry would get 404.
 */
export function retryDelayMs({ method, error, failures, retries }: FailedCall): number | undefined {
  if (failures > retries) return undefined;
  const isRepeatable = method === "GET" || method === "PUT" || method === "POST";
  if (error instanceof ConnectionError) return isRepeatable ? backoffMs(failures) : undefined;
  if (!(error instanceof SlipwayError) || !error.isTransient) return undefined;
  if (!isRepeatable && error.status !== 429 && error.status !== 503) return undefined;
  const requestedMs = error.retryAfterMs ?? 0;
  return requestedMs > maxRetryAfterMs ? undefined : Math.max(requestedMs, backoffMs(failures));
}

/** Exponential backoff with jitter, so that many clients do not return at once. */
export function backoffMs(failures: number): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 4);
}
