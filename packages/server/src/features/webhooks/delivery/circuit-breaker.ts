/** What a receiver did in each of the last minutes. */
export type RecentAttempts = readonly { readonly minute: number; readonly arrived: number; readonly failed: number }[];

const minuteMs = 60_000;
const windowMinutes = 5;
const minAttempts = 10;
const maxFailedShare = 0.7;
const firstParkMs = minuteMs;
const maxParkMs = 60 * minuteMs;
const abandonedAfterMs = 5 * 24 * 60 * minuteMs;

/** Adds an attempt, and drops what is older than five minutes. */
export function noteAttempt(recent: RecentAttempts, atMs: number, hasArrived: boolean): RecentAttempts {
  const minute = Math.floor(atMs / minuteMs);
  const [arrived, failed] = hasArrived ? [1, 0] : [0, 1];
  const last = recent.at(-1);
  if (last?.minute === minute)
    return recent.with(-1, { minute, arrived: last.arrived + arrived, failed: last.failed + failed });
  return [...recent.filter((one) => one.minute > minute - windowMinutes), { minute, arrived, failed }];
}

/** Whether so many attempts failed that the webhook should be parked. */
export function isFailing(recent: RecentAttempts, atMs: number): boolean {
  const oldest = Math.floor(atMs / minuteMs) - windowMinutes;
  let arrived = 0;
  let failed = 0;
  for (const one of recent) {
    if (one.minute <= oldest) continue;
    arrived += one.arrived;
    failed += one.failed;
  }
  const all = arrived + failed;
  return all >= minAttempts && failed >= all * maxFailedShare;
}

/** How long to park a webhook that was parked `parks` times in a row before. */
export function parkMs(parks: number): number {
  return Math.min(firstParkMs * 2 ** Math.min(parks, 10), maxParkMs);
}

/** Whether nothing has arrived for so long that the webhook should be disabled. */
export function isAbandoned(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= abandonedAfterMs;
}
