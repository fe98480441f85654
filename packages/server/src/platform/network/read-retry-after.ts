const maxRetryAfterMs = 24 * 3600_000;

/** How long a `Retry-After` header asks to wait, at most a day: seconds or an HTTP date; undefined if it is neither. */
export function readRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxRetryAfterMs);
  // `Date.parse` also takes "2" or "-5" for a date; every HTTP date begins with a weekday.
  const ms = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) - nowMs : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}
