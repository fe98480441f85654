import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until a condition holds, and gives what it found; the test's own time limit ends it otherwise. The longer it has
 * waited, the less often it asks: conditions that call the service took half of a core from the service itself.
 */
export async function until<T>(condition: () => T | Promise<T>): Promise<NonNullable<Exclude<T, false>>> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 1.5, 150)) {
    const found = await condition();
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<T, false>>;
    await delay(pauseMs);
  }
}
