import { wholeEnd } from "../../../platform/one-line.ts";

const maxLength = 600;

/** The end of a program's output, for the message of its failure. */
export class RecentOutput {
  #text = "";

  add(text: string): void {
    this.#text = wholeEnd(this.#text + text, maxLength);
  }

  /** A sentence to append to others; empty if there was no output. */
  toString(): string {
    const text = this.#text.trim();
    return text === "" ? "" : ` Its last output: ${text}`;
  }
}
