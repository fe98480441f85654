import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PatternCursor } from "./pattern-cursor.ts";
import type { Hide, SecretScanner } from "./secret-scanner.ts";

const equals = 0x3d;
const maxPadding = 2;

/**
 * Looks for secrets in base64, in both alphabets. Its patterns are the digits that the secret alone decides; the digits on
 * either side, which it shares with its neighbours, and the padding are hidden with them.
 */
export class Base64Scanner implements SecretScanner {
  readonly #cursor: PatternCursor;
  readonly #hide: Hide;
  /** Where the match began whose last digit, then padding, are still to come. */
  #tailFrom = Number.POSITIVE_INFINITY;
  #isDigitSeen = false;
  #padding = 0;

  constructor(automaton: PatternAutomaton, hide: Hide) {
    this.#hide = hide;
    this.#cursor = new PatternCursor(automaton, (start, end) => this.#find(start, end), { withSymbolBefore: true });
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    for (let at = from; at < to; at += 1) {
      const unit = chunk.charCodeAt(at);
      this.#readOne(unit < digits.length ? digits[unit]! : 0, offset + at);
    }
  }

  undecidedFrom(position: number): number {
    return Math.min(this.#tailFrom, this.#cursor.undecidedFrom(position));
  }

  end(): void {}

  #readOne(digit: number, at: number): void {
    if (this.#tailFrom !== Number.POSITIVE_INFINITY) this.#readTail(digit, at);
    if (digit === 0 || digit === equals) {
      this.#cursor.reset();
      return;
    }
    this.#cursor.feed(digit, at, at + 1);
  }

  #find(start: number, end: number): void {
    this.#hide(start, end);
    if (!this.#cursor.awaitsTail) return;
    this.#tailFrom = start;
    this.#isDigitSeen = false;
    this.#padding = 0;
  }

  #readTail(digit: number, at: number): void {
    const isLastDigit = digit > 0 && digit !== equals && !this.#isDigitSeen;
    const isPadding = digit === equals && this.#isDigitSeen && this.#padding < maxPadding;
    if (isLastDigit || isPadding) this.#hide(this.#tailFrom, at + 1);
    if (isLastDigit) this.#isDigitSeen = true;
    else if (isPadding) this.#padding += 1;
    else this.#tailFrom = Number.POSITIVE_INFINITY;
  }
}

/** The digit of each character in the usual alphabet, the sign of padding, or 0. */
const digits = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  // The alphabet for addresses has `-` for `+` and `_` for `/`.
  if (character === "-") return 0x2b;
  if (character === "_") return 0x2f;
  return /[A-Za-z0-9+/=]/.test(character) ? unit : 0;
});
