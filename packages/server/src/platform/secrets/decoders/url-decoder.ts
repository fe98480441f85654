import { blanks, type CharacterSink } from "./decoder.ts";
import { isHexDigit } from "./digits.ts";
import { GrowingDecoder } from "./growing-decoder.ts";

const percent = 0x25;
const letterU = 0x75;

/**
 * `%2F`, in either case, for any of the characters, and encoded again any number of times; also `%u20AC`, as JavaScript's
 * `escape` has it. A plus is a space in a form and a plus elsewhere.
 */
export class UrlDecoder extends GrowingDecoder {
  readonly openers = "%";
  readonly leftOut = `${blanks}+`;

  read(unit: number, at: number, sink: CharacterSink): void {
    if (this.isIdle) {
      if (unit === percent) this.open(unit, at, at);
      else sink.plain(unit, at, at + 1);
      return;
    }
    if (!isHexDigit(unit) && !(unit === letterU && this.length === 1)) {
      this.giveUp(sink);
      this.read(unit, at, sink);
      return;
    }
    this.grow(unit, at);
    const { text, start } = this;
    const isUnit = text[1] === "u";
    if (this.length < (isUnit ? 6 : 3)) return;
    const code = Number.parseInt(text.slice(isUnit ? 2 : 1), 16);
    this.close();
    if (code === percent) this.open(percent, start, at);
    else if (isUnit) sink.character(code, start, at + 1);
    else sink.byte(code, start, at + 1);
  }
}
