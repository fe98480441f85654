/** The values that attempts on this node were given. One that was replaced since is still not for others to see. */
export class SecretsInUse {
  readonly #ofAttempts = new Map<string, readonly string[]>();

  /** Keeps them until the attempt has left its folder. */
  hold(attemptId: string, values: readonly string[]): Disposable {
    this.#ofAttempts.set(attemptId, values);
    return { [Symbol.dispose]: () => void this.#ofAttempts.delete(attemptId) };
  }

  of(attemptId: string): readonly string[] {
    return this.#ofAttempts.get(attemptId) ?? [];
  }
}
