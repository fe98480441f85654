import { count } from "../../../platform/count.ts";
import { withoutHalf } from "../../../platform/one-line.ts";

const lineFeed = 0x0a;

/** Splits the output of a program into lines, and cuts lines that are too long. */
export class LineSplitter {
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
      this.#append(chunk.subarray(from, end));
      lines.push(this.#close());
      from = end + 1;
    }
    this.#append(chunk.subarray(from));
    return lines;
  }

  /** What comes after the last line feed, if anything. */
  end(): string[] {
    return this.#openBytes > 0 ? [this.#close()] : [];
  }

  #append(part: Buffer): void {
    const room = this.#maxBytes - this.#openBytes;
    const fitting = part.subarray(0, room);
    if (fitting.length > 0) this.#open.push(fitting);
    this.#openBytes += fitting.length;
    this.#leftOutBytes += part.length - fitting.length;
  }

  #close(): string {
    const line = Buffer.concat(this.#open);
    const isCut = this.#leftOutBytes > 0;
    const text = (isCut ? withoutHalf(line) : line).toString("utf8").replace(/\r$/, "");
    // Directly behind it: what stands before the mark of a cut may be the beginning of a secret.
    const note = isCut ? `… ${count(this.#leftOutBytes, "more byte was", "more bytes were")} left out` : "";
    this.#open = [];
    this.#openBytes = 0;
    this.#leftOutBytes = 0;
    return text + note;
  }
}
