import type { SymbolSink } from "./pattern-cursor.ts";

/** Decodes one way of writing a text, character by character. */
export interface Decoder {
  /** The characters that begin an encoded one; all others stand for themselves. */
  readonly openers: string;
  /** Whether nothing is unfinished. */
  readonly isIdle: boolean;
  read(unit: number, at: number, sink: SymbolSink): void;
  /** Where an unfinished encoded character began; infinity if there is none. */
  undecidedFrom(): number;
  end(sink: SymbolSink): void;
}

/** The symbols of a whole text. */
export function decode(decoder: Decoder, text: string): number[] {
  const symbols: number[] = [];
  const sink: SymbolSink = { feed: (symbol) => void symbols.push(symbol) };
  for (let at = 0; at < text.length; at += 1) decoder.read(text.charCodeAt(at), at, sink);
  decoder.end(sink);
  return symbols;
}

const percent = 0x25;
const backslash = 0x5c;
const ampersand = 0x26;

/** Encoded characters that may grow by a character at a time, and turn out to be ordinary ones. */
abstract class GrowingDecoder implements Decoder {
  protected start = Number.POSITIVE_INFINITY;
  #units: number[] = [];
  #ats: number[] = [];

  abstract readonly openers: string;
  abstract read(unit: number, at: number, sink: SymbolSink): void;

  undecidedFrom(): number {
    return this.start;
  }

  end(sink: SymbolSink): void {
    this.giveUp(sink);
  }

  get isIdle(): boolean {
    return this.start === Number.POSITIVE_INFINITY;
  }

  protected get isGrowing(): boolean {
    return this.start !== Number.POSITIVE_INFINITY;
  }

  protected get text(): string {
    return String.fromCharCode(...this.#units);
  }

  protected get length(): number {
    return this.#units.length;
  }

  protected open(unit: number, start: number, at: number): void {
    this.start = start;
    this.#units = [unit];
    this.#ats = [at];
  }

  protected grow(unit: number, at: number): void {
    this.#units.push(unit);
    this.#ats.push(at);
  }

  protected close(): void {
    this.start = Number.POSITIVE_INFINITY;
  }

  /** Emits what was read as the ordinary characters that it is. */
  protected giveUp(sink: SymbolSink): void {
    if (!this.isGrowing) return;
    const { start } = this;
    this.close();
    this.#units.forEach((unit, index) => {
      const at = this.#ats[index]!;
      this.emitPlain(unit, index === 0 ? start : at, at + 1, sink);
    });
  }

  protected emitPlain(unit: number, start: number, end: number, sink: SymbolSink): void {
    sink.feed(unit, start, end);
  }
}

/** `%2F`, in either case, for any of the characters, and encoded again any number of times. The symbols are bytes of UTF-8. */
export class UrlDecoder extends GrowingDecoder {
  readonly openers = "%";

  read(unit: number, at: number, sink: SymbolSink): void {
    if (this.isIdle) {
      if (unit === percent) this.open(unit, at, at);
      else this.emitPlain(unit, at, at + 1, sink);
      return;
    }
    if (!isHexDigit(unit)) {
      this.giveUp(sink);
      this.read(unit, at, sink);
      return;
    }
    this.grow(unit, at);
    if (this.length < 3) return;
    const { start } = this;
    const byte = Number.parseInt(this.text.slice(1), 16);
    this.close();
    if (byte === percent) this.open(percent, start, at);
    else this.#emitByte(byte, start, at + 1, sink);
  }

  protected override emitPlain(unit: number, start: number, end: number, sink: SymbolSink): void {
    if (unit < 0x80) {
      this.#emitByte(unit, start, end, sink);
      return;
    }
    for (const byte of Buffer.from(String.fromCharCode(unit))) sink.feed(byte, start, end);
  }

  /** A plus is a space in a form and a plus elsewhere. */
  #emitByte(byte: number, start: number, end: number, sink: SymbolSink): void {
    sink.feed(byte === 0x20 ? 0x2b : byte, start, end);
  }
}

const entities: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 };
const maxEntityLength = 10;

/** `&lt;`, `&#60;`, `&#x3c;`, escaped again any number of times. The symbols are code units. */
export class HtmlDecoder extends GrowingDecoder {
  readonly openers = "&";

  read(unit: number, at: number, sink: SymbolSink): void {
    if (this.isIdle) {
      if (unit === ampersand) this.open(unit, at, at);
      else sink.feed(unit, at, at + 1);
      return;
    }
    if (unit === 0x3b) {
      this.#finish(unit, at, sink);
      return;
    }
    if (!isEntityCharacter(unit) || this.length >= maxEntityLength) {
      this.giveUp(sink);
      this.read(unit, at, sink);
      return;
    }
    this.grow(unit, at);
  }

  #finish(unit: number, at: number, sink: SymbolSink): void {
    const { start } = this;
    const code = codePointOf(this.text.slice(1));
    if (code === undefined) {
      this.giveUp(sink);
      sink.feed(unit, at, at + 1);
      return;
    }
    this.close();
    if (code === ampersand) {
      this.open(ampersand, start, at);
      return;
    }
    const character = String.fromCodePoint(code);
    for (let index = 0; index < character.length; index += 1) sink.feed(character.charCodeAt(index), start, at + 1);
  }
}

function codePointOf(entity: string): number | undefined {
  if (!entity.startsWith("#")) return Object.hasOwn(entities, entity) ? entities[entity] : undefined;
  const isHex = entity[1] === "x" || entity[1] === "X";
  const digits = entity.slice(isHex ? 2 : 1);
  if (!(isHex ? /^[0-9a-f]{1,6}$/i : /^[0-9]{1,7}$/).test(digits)) return undefined;
  const code = Number.parseInt(digits, isHex ? 16 : 10);
  return code <= 0x10_ff_ff ? code : undefined;
}

/** Escapes with backslashes, of JSON and most languages, any number of times: the backslashes are left out. */
export class EscapeDecoder extends GrowingDecoder {
  readonly openers = "\\";
  #isAfterBackslash = false;

  override get isIdle(): boolean {
    return super.isIdle && !this.#isAfterBackslash;
  }

  read(unit: number, at: number, sink: SymbolSink): void {
    if (unit === backslash) {
      this.giveUp(sink);
      this.#isAfterBackslash = true;
    } else if (this.isGrowing) this.#continue(unit, at, sink);
    else if (this.#isAfterBackslash && (unit === 0x75 || unit === 0x78)) {
      this.#isAfterBackslash = false;
      this.open(unit, at, at);
    } else {
      this.#isAfterBackslash = false;
      sink.feed(unit, at, at + 1);
    }
  }

  /** Four digits after `\u`, two after `\x`. */
  #continue(unit: number, at: number, sink: SymbolSink): void {
    if (!isHexDigit(unit)) {
      this.giveUp(sink);
      sink.feed(unit, at, at + 1);
      return;
    }
    this.grow(unit, at);
    const { text, start } = this;
    if (this.length < (text[0] === "u" ? 5 : 3)) return;
    this.close();
    const decoded = Number.parseInt(text.slice(1), 16);
    if (decoded === backslash) this.#isAfterBackslash = true;
    else sink.feed(decoded, start, at + 1);
  }
}

/** Says that the digits before and after do not belong together. */
const separator = 0xffff;

/** Hexadecimal digits, also with spaces, colons, dashes or commas between them, and with `0x` or `\x` in front of each pair. */
export class HexDecoder implements Decoder {
  readonly openers = "0\\ABCDEF";
  #zeroAt = Number.POSITIVE_INFINITY;
  #isAfterBackslash = false;

  get isIdle(): boolean {
    return this.#zeroAt === Number.POSITIVE_INFINITY && !this.#isAfterBackslash;
  }

  read(unit: number, at: number, sink: SymbolSink): void {
    const isX = unit === 0x78 || unit === 0x58;
    // The zero of `0x` is no digit.
    if (isX && this.#zeroAt !== Number.POSITIVE_INFINITY) {
      this.#zeroAt = Number.POSITIVE_INFINITY;
      return;
    }
    this.end(sink);
    if (isHexDigit(unit)) {
      if (unit === 0x30) this.#zeroAt = at;
      else sink.feed(unit | 0x20, at, at + 1);
    } else if (!isHexSpace(unit) && !(isX && this.#isAfterBackslash)) sink.feed(separator, at, at + 1);
    this.#isAfterBackslash = unit === backslash;
  }

  undecidedFrom(): number {
    return this.#zeroAt;
  }

  end(sink: SymbolSink): void {
    if (this.#zeroAt === Number.POSITIVE_INFINITY) return;
    sink.feed(0x30, this.#zeroAt, this.#zeroAt + 1);
    this.#zeroAt = Number.POSITIVE_INFINITY;
  }
}

function isHexDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}

/** Space, tab, comma, dash, colon, backslash. */
function isHexSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x2c || unit === 0x2d || unit === 0x3a || unit === backslash;
}

/** Letters, digits and `#`. */
function isEntityCharacter(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x23
  );
}
