/** What a receiver did in each of the last minutes. */
export type RecentAttempts = readonly { readonly minute: number; readonly arrived: number; readonly failed: number }[];

const minuteMs = 60_000;
const minutes = 5;
const fewest = 10;
const maxFailing = 0.7;
const firstParkMs = minuteMs;
const maxParkMs = 60 * minuteMs;
const patienceMs = 5 * 24 * 60 * minuteMs;

/** The record with one more attempt in it, and nothing that is older than five minutes. */
export function noteAttempt(record: RecentAttempts, atMs: number, hasArrived: boolean): RecentAttempts {
  const minute = Math.floor(atMs / minuteMs);
  const [arrived, failed] = hasArrived ? [1, 0] : [0, 1];
  const last = record.at(-1);
  if (last?.minute === minute)
    return record.with(-1, { minute, arrived: last.arrived + arrived, failed: last.failed + failed });
  return [...record.filter((one) => one.minute > minute - minutes), { minute, arrived, failed }];
}

/** Whether the receiver fails so much that it is better left alone for a while. */
export function isFailing(record: RecentAttempts, atMs: number): boolean {
  const oldest = Math.floor(atMs / minuteMs) - minutes;
  let arrived = 0;
  let failed = 0;
  for (const one of record) {
    if (one.minute <= oldest) continue;
    arrived += one.arrived;
    failed += one.failed;
  }
  const all = arrived + failed;
  return all >= fewest && failed >= all * maxFailing;
}

/** How long a receiver is left alone that was so often before, in a row. */
export function parkMs(parks: number): number {
  return Math.min(firstParkMs * 2 ** Math.min(parks, 10), maxParkMs);
}

/** Whether nothing has arrived for so long that nobody is there any more. */
export function isAbandoned(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= patienceMs;
}
