import { isPrintable } from "../log/index.ts";
import { skipTo, tableFor } from "./may-begin.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PatternCursor } from "./pattern-cursor.ts";
import type { Find, ValueScanner } from "./secret-scanner.ts";

const equals = 0x3d;
const space = 0x20;
const backslash = 0x5c;
const slash = 0x2f;
const letterN = 0x6e;
const letterR = 0x72;
const maxPadding = 2;
const nowhere = Number.POSITIVE_INFINITY;

/**
 * Looks for secrets in base64, in both alphabets. Its patterns are the digits that the secret alone decides; the digits on
 * either side, which it shares with its neighbours, and the padding are hidden with them. It may stand in lines, which may be
 * indented, or breaks and slashes of which JSON escapes.
 */
export class Base64Scanner implements ValueScanner {
  readonly #cursor: PatternCursor;
  readonly #find: Find;
  readonly #mayBegin: Uint8Array;
  #isAfterBackslash = false;
  /** Where the match began whose last digit, then padding, are still to come. */
  #tailFrom = nowhere;
  #tailState = 0;
  #isDigitSeen = false;
  #padding = 0;

  constructor(automaton: PatternAutomaton, find: Find) {
    this.#find = find;
    this.#cursor = new PatternCursor(automaton, (start, end, state) => this.#found(start, end, state), {
      withSymbolBefore: true,
    });
    this.#mayBegin = tableFor(automaton, () => digits.map((digit) => (automaton.first(digit) === 0 ? 0 : 1)));
  }

  get isIdle(): boolean {
    return this.#cursor.isAtRoot && this.#tailFrom === nowhere && !this.#isAfterBackslash;
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    for (let at = from; at < to; at += 1) {
      if (this.isIdle) {
        const start = skipTo(this.#mayBegin, chunk, at, to);
        // The digit before belongs to it.
        if (start > at) this.#readOne(chunk.charCodeAt(start - 1), offset + start - 1);
        at = start;
      }
      this.#readOne(chunk.charCodeAt(at), offset + at);
    }
  }

  undecidedFrom(position: number): number {
    return Math.min(this.#tailFrom, this.#cursor.undecidedFrom(position));
  }

  end(): void {
    this.#isAfterBackslash = false;
    this.#tailFrom = nowhere;
    this.#cursor.reset();
  }

  #readOne(unit: number, at: number): void {
    if (!isPrintable(unit)) return;
    const isTailRead = this.#tailFrom !== nowhere && this.#isDigitSeen;
    if (unit === space && !isTailRead) return;
    if (unit === backslash) {
      this.#isAfterBackslash = true;
      return;
    }
    if (this.#isAfterBackslash) {
      this.#isAfterBackslash = false;
      if (unit === letterN || unit === letterR) return;
      if (unit !== slash) this.#readDigit(0, at);
    }
    this.#readDigit(unit < digits.length ? digits[unit]! : 0, at);
  }

  #readDigit(digit: number, at: number): void {
    if (this.#tailFrom !== nowhere) this.#readTail(digit, at);
    if (digit === 0 || digit === equals) this.#cursor.reset();
    else this.#cursor.feed(digit, at, at + 1);
  }

  #found(start: number, end: number, state: number): void {
    this.#find(start, end, state);
    if (!this.#cursor.awaitsTail) return;
    this.#tailFrom = start;
    this.#tailState = state;
    this.#isDigitSeen = false;
    this.#padding = 0;
  }

  #readTail(digit: number, at: number): void {
    const isLastDigit = digit > 0 && digit !== equals && !this.#isDigitSeen;
    const isPadding = digit === equals && this.#isDigitSeen && this.#padding < maxPadding;
    if (isLastDigit || isPadding) this.#find(this.#tailFrom, at + 1, this.#tailState);
    if (isLastDigit) this.#isDigitSeen = true;
    else if (isPadding) this.#padding += 1;
    else this.#tailFrom = nowhere;
  }
}

/** The digit of each character in the usual alphabet, the sign of padding, or 0. */
const digits = Uint8Array.from({ length: 256 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  // The alphabet for addresses has `-` for `+` and `_` for `/`.
  if (character === "-") return 0x2b;
  if (character === "_") return 0x2f;
  return /[A-Za-z0-9+/=]/.test(character) ? unit : 0;
});
