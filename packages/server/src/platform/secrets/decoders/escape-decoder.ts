import { blanks, type CharacterSink } from "./decoder.ts";
import { isHexDigit, isOctalDigit } from "./digits.ts";
import { GrowingDecoder } from "./growing-decoder.ts";

const backslash = 0x5c;
const letterX = 0x78;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const maxLengthInBraces = 8;
const maxCode = 0x10_ff_ff;

/** The control characters that have a letter. */
const letters: ReadonlyMap<number, number> = new Map(
  Object.entries({ a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, e: 27 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
);

/** How many digits follow `\x`, `\u` and `\U`. */
const digitsAfter: ReadonlyMap<number, number> = new Map([
  [letterX, 2],
  [0x75, 4],
  [0x55, 8],
]);

/**
 * Escapes with backslashes, of JSON, shells, git and most languages, any number of times, with octal or hexadecimal digits. The
 * quotation marks around them do not count: shells end and begin them within a value, CSV, SQL and YAML write them twice.
 */
export class EscapeDecoder extends GrowingDecoder {
  readonly openers = "\\";
  readonly leftOut = `${blanks}'"$\\`;
  #isAfterBackslash = false;

  override get isIdle(): boolean {
    return super.isIdle && !this.#isAfterBackslash;
  }

  read(unit: number, at: number, sink: CharacterSink): void {
    if (this.isGrowing) {
      if (isOctalDigit(this.first)) this.#continueOctal(unit, at, sink);
      else this.#continueHex(unit, at, sink);
    } else if (unit === backslash) this.#isAfterBackslash = true;
    else if (this.#isAfterBackslash) this.#escape(unit, at, sink);
    else sink.plain(unit, at, at + 1);
  }

  override end(sink: CharacterSink): void {
    this.#isAfterBackslash = false;
    if (this.isGrowing && isOctalDigit(this.first)) this.#finishOctal(sink);
    super.end(sink);
  }

  #escape(unit: number, at: number, sink: CharacterSink): void {
    this.#isAfterBackslash = false;
    const code = letters.get(unit);
    if (code !== undefined) sink.character(code, at, at + 1);
    else if (digitsAfter.has(unit) || isOctalDigit(unit)) this.open(unit, at, at);
    else sink.plain(unit, at, at + 1);
  }

  /** Up to three digits, of one byte. */
  #continueOctal(unit: number, at: number, sink: CharacterSink): void {
    if (isOctalDigit(unit)) {
      this.grow(unit, at);
      if (this.length === 3 || Number.parseInt(this.text, 8) >= 0o40) this.#finishOctal(sink);
      return;
    }
    this.#finishOctal(sink);
    this.read(unit, at, sink);
  }

  #finishOctal(sink: CharacterSink): void {
    this.#finish(Number.parseInt(this.text, 8), "byte", sink);
  }

  /** `\xe4`, `\u00e4`, `\U000000e4`, `\x{e4}`, `\u{e4}`. */
  #continueHex(unit: number, at: number, sink: CharacterSink): void {
    const { text, length } = this;
    const isInBraces = text[1] === "{";
    const mayGrow = isHexDigit(unit) ? !isInBraces || length < maxLengthInBraces : unit === openBrace && length === 1;
    if (isInBraces && unit === closeBrace && length > 2) {
      this.grow(unit, at);
      this.#finish(Number.parseInt(text.slice(2), 16), "character", sink);
    } else if (mayGrow) {
      this.grow(unit, at);
      if (isInBraces || length < digitsAfter.get(this.first)!) return;
      this.#finish(Number.parseInt(this.text.slice(1), 16), this.first === letterX ? "byte" : "character", sink);
    } else {
      this.giveUp(sink);
      this.read(unit, at, sink);
    }
  }

  #finish(code: number, as: "byte" | "character", sink: CharacterSink): void {
    if (code > maxCode) {
      this.giveUp(sink);
      return;
    }
    const { start, grownTo } = this;
    this.close();
    // A backslash that is escaped itself begins an escape.
    if (code === backslash) this.#isAfterBackslash = true;
    else sink[as](code, start, grownTo);
  }
}
