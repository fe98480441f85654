/**
 * Tells who waits for something, by its id, that it may have changed. A signal may come too often and says nothing of what
 * changed: who is told looks for itself.
 */
export class Signals {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #watching = new Set<(id: string | undefined) => void>();
  /** Signals may get lost: who waits for one also polls this often. */
  readonly pollMs: number;

  constructor(pollMs = 2_000) {
    this.pollMs = pollMs;
  }

  /** Calls back at each signal for the id, until the signal given ends it. */
  subscribe(id: string, onSignal: () => void, until: AbortSignal): void {
    if (until.aborted) return;
    const callbacks = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, callbacks);
    callbacks.add(onSignal);
    until.addEventListener(
      "abort",
      () => {
        callbacks.delete(onSignal);
        if (callbacks.size === 0) this.#waiting.delete(id);
      },
      { once: true },
    );
  }

  /** Calls back at each signal with its id, or without one when any may have been missed. */
  subscribeAll(onSignal: (id: string | undefined) => void, until: AbortSignal): void {
    if (until.aborted) return;
    this.#watching.add(onSignal);
    until.addEventListener("abort", () => this.#watching.delete(onSignal), { once: true });
  }

  signal(id: string): void {
    for (const callback of this.#watching) callback(id);
    for (const callback of this.#waiting.get(id) ?? []) callback();
  }

  /** Signals may have been missed, while the connection to the database was away: everybody looks. */
  signalAll(): void {
    for (const callback of this.#watching) callback(undefined);
    for (const callbacks of this.#waiting.values()) for (const callback of callbacks) callback();
  }
}
