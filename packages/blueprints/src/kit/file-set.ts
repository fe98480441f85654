export interface ResultFile {
  readonly path: string;
  /** A string, or bytes for a binary file. */
  readonly content: string | Uint8Array;
  readonly isExecutable: boolean;
}

/** A set of files, by path. */
export class FileSet {
  readonly #files = new Map<string, ResultFile>();

  /** Adds a file; a string gets a final line break. Two different files with one path are an error. */
  add(path: string, content: string | Uint8Array, { isExecutable = false } = {}): this {
    const whole = typeof content === "string" ? `${content.replace(/^\n/, "").trimEnd()}\n` : content;
    const known = this.#files.get(path);
    if (known !== undefined && !isSame(known.content, whole)) throw new Error(`Two files are called ${path}.`);
    this.#files.set(path, { path, content: whole, isExecutable });
    return this;
  }

  addAll(others: FileSet): this {
    for (const { path, content, isExecutable } of others.all) this.add(path, content, { isExecutable });
    return this;
  }

  /** Sorted by path. */
  get all(): readonly ResultFile[] {
    return [...this.#files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function isSame(one: string | Uint8Array, other: string | Uint8Array): boolean {
  if (typeof one === "string" || typeof other === "string") return one === other;
  return Buffer.compare(one, other) === 0;
}
