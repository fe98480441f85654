export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units, as editors count. */
  readonly column: number;
}

/** Removes a byte order mark: editors do not count it, and neither do columns. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** Converts offsets to lines and columns. Created only if there is something to report. */
export class LineMap {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = withoutMark(text);
    for (let at = this.#text.indexOf("\n"); at !== -1; at = this.#text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  positionAt(offset: number): Position {
    const bounded = Math.max(0, Math.min(offset, this.#text.length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= bounded) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: bounded - this.#starts[low]! + 1 };
  }

  get lineCount(): number {
    return this.#starts.length;
  }

  /** The text of a line, without its line ending. */
  lineText(line: number): string {
    const start = this.#starts[line - 1] ?? this.#text.length;
    const end = this.#starts[line] ?? this.#text.length + 1;
    return this.#text.slice(start, end - 1).replace(/\r$/, "");
  }
}
