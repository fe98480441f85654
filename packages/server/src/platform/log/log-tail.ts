const maxLines = 5_000;
const maxBytes = 4 * 1024 * 1024;

/** The last lines of the service log, kept in memory. */
export class LogTail {
  readonly #lines: string[] = [];
  #bytes = 0;

  add(line: string): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    // A long line may push out several short ones.
    while (this.#lines.length > maxLines || this.#bytes > maxBytes) this.#bytes -= this.#lines.shift()?.length ?? 0;
  }

  /** As JSON, one object a line, the oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }
}
