import { setTimeout as delay } from "node:timers/promises";

/** Waits until something is so, and gives what it is; the test's own time limit ends it otherwise. */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<Exclude<T, false>>> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<T, false>>;
    await delay(5);
  }
}
