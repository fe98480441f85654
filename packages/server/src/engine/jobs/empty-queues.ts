/** For so long an empty queue is believed to be empty: jobs that become due by themselves may wait that long. */
const believedForMs = 50;

/** Remembers that the queues were found empty and nothing was enqueued since, which saves the next poll. */
export class EmptyQueues {
  #wakeUps = 0;
  #sinceMs = -Infinity;

  /** There may be something in a queue. */
  wake(): void {
    this.#wakeUps += 1;
    this.#sinceMs = -Infinity;
  }

  get isKnown(): boolean {
    return performance.now() - this.#sinceMs < believedForMs;
  }

  /** Call before polling the queues; the function it returns takes what the poll found. */
  beginPoll(): (isEmpty: boolean) => void {
    const wakeUpsBefore = this.#wakeUps;
    return (isEmpty) => {
      // A job that was enqueued meanwhile may have come after the poll.
      if (isEmpty && this.#wakeUps === wakeUpsBefore) this.#sinceMs = performance.now();
      else this.#sinceMs = -Infinity;
    };
  }
}
