/** Files that belong together, by path. */
export class FileSet {
  readonly #files = new Map<string, { readonly text: string; readonly isExecutable: boolean }>();

  /** A file ends with a line break, and is there once. */
  add(path: string, text: string, { isExecutable = false } = {}): this {
    const whole = `${text.replace(/^\n/, "").trimEnd()}\n`;
    const known = this.#files.get(path);
    if (known !== undefined && known.text !== whole) throw new Error(`Two files are called ${path}.`);
    this.#files.set(path, { text: whole, isExecutable });
    return this;
  }

  addAll(others: FileSet): this {
    for (const { path, text, isExecutable } of others.all) this.add(path, text, { isExecutable });
    return this;
  }

  /** By path. */
  get all(): readonly { readonly path: string; readonly text: string; readonly isExecutable: boolean }[] {
    return [...this.#files].map(([path, file]) => ({ path, ...file })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }
}
