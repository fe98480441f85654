import type { Decoder } from "./decoders.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PatternCursor } from "./pattern-cursor.ts";
import type { Hide, SecretScanner } from "./secret-scanner.ts";

const tableSize = 256;

/** Looks for secrets in a text as a decoder reads it. */
export class DecodingScanner implements SecretScanner {
  readonly #decoder: Decoder;
  readonly #cursor: PatternCursor;
  /** Which characters may begin a secret: all others are skipped, which makes most texts four times faster. */
  readonly #mayBegin = new Uint8Array(tableSize);

  constructor(decoder: Decoder, automaton: PatternAutomaton, hide: Hide) {
    this.#decoder = decoder;
    this.#cursor = new PatternCursor(automaton, hide);
    for (let unit = 0; unit < tableSize; unit += 1) {
      const isOpener = decoder.openers.includes(String.fromCharCode(unit));
      if (unit >= 0x80 || isOpener || automaton.first(unit) !== 0) this.#mayBegin[unit] = 1;
    }
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    const decoder = this.#decoder;
    const cursor = this.#cursor;
    const mayBegin = this.#mayBegin;
    for (let at = from; at < to; at += 1) {
      let unit = chunk.charCodeAt(at);
      if (cursor.isAtRoot && decoder.isIdle) {
        while (unit < tableSize && mayBegin[unit] === 0 && at + 1 < to) {
          at += 1;
          unit = chunk.charCodeAt(at);
        }
      }
      decoder.read(unit, offset + at, cursor);
    }
  }

  undecidedFrom(position: number): number {
    return Math.min(this.#decoder.undecidedFrom(), this.#cursor.undecidedFrom(position));
  }

  end(): void {
    this.#decoder.end(this.#cursor);
  }
}
