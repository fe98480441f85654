/** For so long it is believed that there is nothing more: what becomes due by itself may wait that long. */
const believedForMs = 50;

/** Knows whether the queues were found empty just now, and nothing has been heard of them since. */
export class Drained {
  #rings = 0;
  #sinceMs = -Infinity;

  /** There may be something in a queue. */
  wake(): void {
    this.#rings += 1;
    this.#sinceMs = -Infinity;
  }

  get isKnown(): boolean {
    return performance.now() - this.#sinceMs < believedForMs;
  }

  /** Before a look at the queues: gives what to call with what was found. */
  look(): (isEmpty: boolean) => void {
    const ringsBefore = this.#rings;
    return (isEmpty) => {
      // What rang meanwhile may have come after the look.
      if (isEmpty && this.#rings === ringsBefore) this.#sinceMs = performance.now();
      else this.#sinceMs = -Infinity;
    };
  }
}
