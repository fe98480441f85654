import type { CharacterSink, Decoder } from "./decoder.ts";
import { isHexDigit } from "./digits.ts";

const backslash = 0x5c;
/** Says that the digits before and after do not belong together. */
const separator = 0;

/** Hexadecimal digits, also with spaces, colons, dashes or commas between them, and with `0x` or `\x` in front of each pair. */
export class HexDecoder implements Decoder {
  readonly openers = "0\\ABCDEF";
  readonly leftOut = "";
  #zeroAt = Number.POSITIVE_INFINITY;
  #isAfterBackslash = false;

  get isIdle(): boolean {
    return this.#zeroAt === Number.POSITIVE_INFINITY && !this.#isAfterBackslash;
  }

  read(unit: number, at: number, sink: CharacterSink): void {
    const isX = unit === 0x78 || unit === 0x58;
    // The zero of `0x` is no digit.
    if (isX && this.#zeroAt !== Number.POSITIVE_INFINITY) {
      this.#zeroAt = Number.POSITIVE_INFINITY;
      return;
    }
    this.#endZero(sink);
    if (isHexDigit(unit)) {
      if (unit === 0x30) this.#zeroAt = at;
      else sink.byte(unit | 0x20, at, at + 1);
    } else if (!isHexSpace(unit) && !(isX && this.#isAfterBackslash)) sink.byte(separator, at, at + 1);
    this.#isAfterBackslash = unit === backslash;
  }

  undecidedFrom(): number {
    return this.#zeroAt;
  }

  end(sink: CharacterSink): void {
    this.#endZero(sink);
    this.#isAfterBackslash = false;
  }

  #endZero(sink: CharacterSink): void {
    if (this.#zeroAt === Number.POSITIVE_INFINITY) return;
    sink.byte(0x30, this.#zeroAt, this.#zeroAt + 1);
    this.#zeroAt = Number.POSITIVE_INFINITY;
  }
}

/** Space, tab, comma, dash, colon, backslash. */
function isHexSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x2c || unit === 0x2d || unit === 0x3a || unit === backslash;
}
