/** The channel on which nodes tell each other that projects changed. */
export const projectsChannel = "slipway_projects";

/**
 * Tells waiting readers that a project changed: in this process at once, in others through the database. A signal may
 * come too often and says nothing of what changed; readers look for themselves.
 */
export class ProjectSignals {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Calls back at each signal for the project, until the signal given ends it. */
  subscribe(projectId: string, onSignal: () => void, until: AbortSignal): void {
    if (until.aborted) return;
    const callbacks = this.#waiting.get(projectId) ?? new Set();
    this.#waiting.set(projectId, callbacks);
    callbacks.add(onSignal);
    until.addEventListener(
      "abort",
      () => {
        callbacks.delete(onSignal);
        if (callbacks.size === 0) this.#waiting.delete(projectId);
      },
      { once: true },
    );
  }

  signal(projectId: string): void {
    for (const callback of this.#waiting.get(projectId) ?? []) callback();
  }

  /** Signals may have been missed, while the connection to the database was away: everybody looks. */
  signalAll(): void {
    for (const callbacks of this.#waiting.values()) for (const callback of callbacks) callback();
  }
}
