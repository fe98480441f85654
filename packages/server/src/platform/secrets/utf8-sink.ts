import type { CharacterSink } from "./decoders/index.ts";
import type { SymbolSink } from "./pattern-cursor.ts";

/** What a text is made of: characters, or such that up to U+00FF are a byte each, as some programs write them. */
export type Reading = "text" | "latin1";

const lost = 0xfffd;

/** Hands characters on as bytes of UTF-8, however they were written, but for those that are left out. */
export class Utf8Sink implements CharacterSink {
  readonly #target: SymbolSink;
  readonly #reading: Reading;
  readonly #isLeftOut: Uint8Array;
  /** The first half of a character of two, and where it stands. */
  #half = 0;
  #halfStart = 0;
  #halfEnd = 0;

  constructor(target: SymbolSink, leftOut: string, reading: Reading) {
    this.#target = target;
    this.#reading = reading;
    this.#isLeftOut = tableOf(leftOut);
  }

  /** Whether no half of a character waits for the other one. */
  get isIdle(): boolean {
    return this.#half === 0;
  }

  plain(unit: number, start: number, end: number): void {
    const isByte = unit < 0x80 || (this.#reading === "latin1" && unit <= 0xff);
    if (isByte) this.byte(unit, start, end);
    else this.character(unit, start, end);
  }

  byte(byte: number, start: number, end: number): void {
    if (this.#half !== 0) this.end();
    if (byte >= 0x80 || this.#isLeftOut[byte] === 0) this.#target.feed(byte, start, end);
  }

  character(code: number, start: number, end: number): void {
    if (this.#half !== 0 && isSecondHalf(code)) {
      const whole = 0x1_00_00 + ((this.#half - 0xd800) << 10) + (code - 0xdc00);
      this.#half = 0;
      this.#feed(whole, this.#halfStart, end);
      return;
    }
    this.end();
    if (isFirstHalf(code)) {
      this.#half = code;
      this.#halfStart = start;
      this.#halfEnd = end;
    } else this.#feed(isSecondHalf(code) ? lost : code, start, end);
  }

  undecidedFrom(): number {
    return this.#half === 0 ? Number.POSITIVE_INFINITY : this.#halfStart;
  }

  /** There is no further character. */
  end(): void {
    if (this.#half === 0) return;
    this.#half = 0;
    this.#feed(lost, this.#halfStart, this.#halfEnd);
  }

  #feed(code: number, start: number, end: number): void {
    if (code < 0x80) {
      this.byte(code, start, end);
      return;
    }
    const target = this.#target;
    const continued = (shift: number) => target.feed(0x80 | ((code >> shift) & 0x3f), start, end);
    if (code < 0x800) target.feed(0xc0 | (code >> 6), start, end);
    else {
      if (code < 0x1_00_00) target.feed(0xe0 | (code >> 12), start, end);
      else {
        target.feed(0xf0 | (code >> 18), start, end);
        continued(12);
      }
      continued(6);
    }
    continued(0);
  }
}

/** A row a decoder: each short text that is masked has sinks of its own, which share these. */
const tables = new Map<string, Uint8Array>();

function tableOf(leftOut: string): Uint8Array {
  const table = tables.get(leftOut) ?? new Uint8Array(128);
  for (let at = 0; at < leftOut.length && !tables.has(leftOut); at += 1) table[leftOut.charCodeAt(at)] = 1;
  tables.set(leftOut, table);
  return table;
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
