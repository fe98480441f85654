/** Longer than any message: what comes in longer lines is not from us. */
const maxLineChars = 16 << 20;

/** Cuts text that comes in pieces into lines. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  #open = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(text: string): void {
    const lines = (this.#open + text).split("\n");
    this.#open = lines.pop()!;
    if (this.#open.length > maxLineChars) throw new Error("A message is too long.");
    for (const line of lines) this.#onLine(line);
  }
}
