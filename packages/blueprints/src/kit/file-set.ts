export interface ResultFile {
  readonly path: string;
  /** A text, or the bytes of what is none. */
  readonly content: string | Uint8Array;
  readonly isExecutable: boolean;
}

/** Files that belong together, by path. */
export class FileSet {
  readonly #files = new Map<string, ResultFile>();

  /** A text ends with a line break, and a file is there once. */
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

  /** By path. */
  get all(): readonly ResultFile[] {
    return [...this.#files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function isSame(one: string | Uint8Array, other: string | Uint8Array): boolean {
  if (typeof one === "string" || typeof other === "string") return one === other;
  return Buffer.compare(one, other) === 0;
}
