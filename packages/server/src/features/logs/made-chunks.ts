/** What followers of all logs may have in common. */
const maxBytes = 16 * 1024 * 1024;
/** What an entry takes beside its text, about. */
const entryBytes = 300;

/**
 * The JSON of the pieces of logs that were told last: what a program prints goes to all who follow it, and is made for the
 * first of them. 32 KB of empty lines are megabytes of JSON: without this, a hundred followers of one log got a fourth as
 * much, while half of the service's thread made JSON and collected its garbage.
 */
export class MadeChunks {
  readonly #made = new Map<string, Uint8Array>();
  #bytes = 0;

  /** The JSON of what is made, or was made under this key. */
  get(key: string, make: () => unknown): Uint8Array {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = Buffer.from(JSON.stringify(make()));
    this.#made.set(key, made);
    this.#bytes += sizeOf(key, made);
    // A map keeps its order: the oldest goes first, and at last one that is too large by itself.
    for (const [oldKey, old] of this.#made) {
      if (this.#bytes <= maxBytes) break;
      this.#made.delete(oldKey);
      this.#bytes -= sizeOf(oldKey, old);
    }
    return made;
  }
}

function sizeOf(key: string, made: Uint8Array): number {
  return key.length + made.length + entryBytes;
}
