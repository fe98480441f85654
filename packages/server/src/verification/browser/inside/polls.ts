import { setTimeout as delay } from "node:timers/promises";

const firstPauseMs = 100;
/** What a page shows for a moment only, it shows for longer than this. */
const maxPauseMs = 500;

/**
 * Turns of a loop that looks for something, until the time is over; the last is at its end. They become rarer: each look
 * holds the page up, and is one more entry of the trace.
 */
export async function* polls(limitMs: number): AsyncGenerator<void> {
  const deadline = performance.now() + limitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(1.3 * pauseMs, maxPauseMs)) {
    yield;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return;
    await delay(Math.min(pauseMs, leftMs));
  }
}
