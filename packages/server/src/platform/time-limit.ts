/** What a timer can wait at most: 24 days. */
const maxMs = 2 ** 31 - 1;

/** Aborted after a time that somebody else chose: of a fraction of a millisecond, Node makes an error and not a timer. */
export function timeLimit(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(maxMs, Math.max(1, Math.ceil(ms))));
}
