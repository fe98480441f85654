/** Wakes a waiter once for any number of wake-ups since it last waited. */
export class WakeUp {
  #isDue = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#isDue = true;
    this.#resolve?.();
  }

  /** Resolves at the next wake-up, at once if one came since the last wait, or after `maxMs`. */
  async wait(maxMs: number): Promise<void> {
    if (!this.#isDue) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, maxMs);
      this.#resolve = resolve;
      await promise;
      clearTimeout(timer);
      this.#resolve = undefined;
    }
    this.#isDue = false;
  }
}
