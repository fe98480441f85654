const maxKept = 600;

/** The end of what a program said, to be told when it fails. */
export class LastWords {
  #text = "";

  add(text: string): void {
    this.#text = (this.#text + text).slice(-maxKept);
  }

  /** A sentence to put behind others, or nothing. */
  toString(): string {
    const text = this.#text.trim();
    return text === "" ? "" : ` Its last words: ${text}`;
  }
}
