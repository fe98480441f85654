import { setTimeout as delay } from "node:timers/promises";

/** As of programs on this machine: masking more than that would keep the service from all else. */
const charsPerMs = (2 << 20) / 1_000;
const shortestMs = 20;

/** Pauses for so long, after what was read from elsewhere, that no more is read than may be in a second. */
export function pausesBetween(signal: AbortSignal | undefined): (chars: number) => Promise<void> | undefined {
  let owedMs = 0;
  return (chars) => {
    owedMs += chars / charsPerMs;
    if (owedMs < shortestMs) return undefined;
    const ms = owedMs;
    owedMs = 0;
    return delay(ms, undefined, signal && { signal });
  };
}
