import { UsageError } from "../exit-code.ts";
import { printable } from "./printable.ts";

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 24 * 3600 };

/** The seconds in `90s`, `30m`, `2h` or `7d`. */
export function durationSeconds(option: string, text: string): number {
  const seconds = readDuration(text);
  if (seconds === undefined)
    throw new UsageError(`${option} must be a duration such as 90s, 30m, 2h or 7d, not '${printable(text)}'`);
  return seconds;
}

/** A timestamp for the API, from a date or from a duration before now. */
export function pointInTime(option: string, text: string, now: Date): string {
  const ago = readDuration(text);
  const at =
    ago === undefined
      ? new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : Number.NaN)
      : new Date(now.getTime() - ago * 1000);
  if (Number.isNaN(at.getTime()))
    throw new UsageError(
      `${option} must be a time such as 2026-11-15T09:30:00Z, or 2h for two hours ago, not '${printable(text)}'`,
    );
  return at.toISOString();
}

function readDuration(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (secondsOf[unit] ?? 1);
}
