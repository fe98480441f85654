const lineFeed = 0x0a;

/** Cuts what a program prints into lines, and lines that are too long. */
export class LineCutter {
  readonly #maxBytes: number;
  #open: Buffer[] = [];
  #openBytes = 0;
  #leftOutBytes = 0;

  constructor(maxBytes = 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      this.#keep(chunk.subarray(from, end));
      lines.push(this.#close());
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  /** What comes after the last line feed, if anything. */
  end(): string[] {
    return this.#openBytes > 0 ? [this.#close()] : [];
  }

  #keep(part: Buffer): void {
    const room = this.#maxBytes - this.#openBytes;
    const kept = part.subarray(0, room);
    if (kept.length > 0) this.#open.push(kept);
    this.#openBytes += kept.length;
    this.#leftOutBytes += part.length - kept.length;
  }

  #close(): string {
    const text = Buffer.concat(this.#open).toString("utf8").replace(/\r$/, "");
    const note = this.#leftOutBytes > 0 ? ` … ${this.#leftOutBytes} more bytes were left out` : "";
    this.#open = [];
    this.#openBytes = 0;
    this.#leftOutBytes = 0;
    return text + note;
  }
}
