/** Rings once for any number of reasons since it was last waited for. */
export class WakeUp {
  #hasRung = false;
  #wake: (() => void) | undefined;

  wake(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  /** Until it rings, or so long. */
  async wait(maxMs: number): Promise<void> {
    if (!this.#hasRung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, maxMs);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#hasRung = false;
  }
}
