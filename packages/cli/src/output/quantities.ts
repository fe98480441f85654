import type { VerdictCounts } from "@slipway/contract";

/** `24 passed, 1 failed, 2 not checked`; what there is none of is left out, but for what passed. */
export function checkCounts({ passed, failed, not_checked, waived }: VerdictCounts): string {
  const others = [
    [failed, "failed"],
    [not_checked, "not checked"],
    [waived, "waived"],
  ] as const;
  return [
    `${passed} passed`,
    ...others.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`),
  ].join(", ");
}

/** `1 error`, `2 errors`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `80 ms`, `2.5 s`, `3 min 20 s`, `1 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

const units = ["B", "kB", "MB", "GB", "TB"];

/** `340 B`, `1.5 MB`. */
export function byteSize(bytes: number): string {
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}
