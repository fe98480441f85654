import { oneLine } from "../../platform/one-line.ts";

const maxToldLength = 500;
/** So much more that a line which is cut here is known for one that goes on: of a secret in it, half may be left. */
const maxLineLength = 8 * maxToldLength;

/**
 * Listens to what a program prints, piece by piece, for a failed test as TAP tells of it. Whoever writes TAP may end with exit
 * code 0 all the same. It is never believed for a test that passed.
 */
export class TapListener {
  #line = "";
  #isTap = false;
  #failed: string | undefined;

  hear(text: string): void {
    const parts = text.split("\n");
    for (const [at, part] of parts.entries()) {
      this.#line += part.slice(0, maxLineLength - this.#line.length);
      if (at === parts.length - 1) break;
      this.#read(this.#line.trimEnd());
      this.#line = "";
    }
  }

  /** The line of the first test that failed; undefined if there is none, or the output is no TAP. */
  end(): string | undefined {
    this.#read(this.#line.trimEnd());
    this.#line = "";
    return this.#isTap ? this.#failed : undefined;
  }

  #read(line: string): void {
    if (/^TAP version \d{1,3}$|^1\.\.\d{1,9}(?:\s|$)/.test(line)) this.#isTap = true;
    // What is still to be done may fail.
    if (/^not ok\b/.test(line) && !/\s#\s*(?:todo|skip)/i.test(line)) this.#failed ??= oneLine(line, maxToldLength);
  }
}
