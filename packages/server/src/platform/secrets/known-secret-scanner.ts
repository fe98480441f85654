import { ControlScanner, isBreak } from "../log/index.ts";
import { Base64Scanner } from "./base64-scanner.ts";
import { decoders, HexDecoder } from "./decoders/index.ts";
import { DecodingScanner } from "./decoding-scanner.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PlainScanner } from "./plain-scanner.ts";
import type { SecretPatterns } from "./secret-patterns.ts";
import type { Find, SecretScanner, ValueScanner } from "./secret-scanner.ts";

type FindBy = (automaton: PatternAutomaton) => Find;

/**
 * Looks for known values in a text, the same in output and in files. Control characters and breaks do not count. Where control
 * sequences stand, it reads twice: what is written, the texts inside of sequences included, and what a terminal shows of it.
 */
export class KnownSecretScanner implements SecretScanner {
  readonly #patterns: SecretPatterns;
  readonly #findBy: FindBy;
  readonly #written: readonly ValueScanner[];
  /** From a sequence on, until the end of a line where nothing is undecided: elsewhere the two are the same. */
  #shown: readonly ValueScanner[] | undefined;
  #shownAtRest: readonly ValueScanner[] | undefined;
  #controls = new ControlScanner();
  /** What is undecided before a sequence, which those read that begin there. */
  #tail = "";
  #tailFrom = 0;

  constructor(patterns: SecretPatterns, findBy: FindBy) {
    this.#patterns = patterns;
    this.#findBy = findBy;
    this.#written = scannersFor(patterns, findBy);
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    if (this.#tail === "") this.#tailFrom = Math.max(this.#tailFrom, offset + from);
    for (let at = from; at < to; ) {
      const end = this.#shown === undefined ? nextSequence(chunk, at, to) : endOfLine(chunk, at, to);
      for (const scanner of this.#written) scanner.read(chunk, at, end, offset);
      if (this.#shown !== undefined) this.#readShown(this.#shown, chunk, at, end, offset);
      else if (end < to) this.#shown = this.#beginShown(chunk, from, end, offset);
      at = end;
    }
    if (this.#shown === undefined) this.#keepTail(chunk, from, to, offset);
  }

  undecidedFrom(position: number): number {
    return Math.min(earliest(this.#written, position), earliest(this.#shown ?? [], position));
  }

  end(): void {
    for (const scanner of this.#written) scanner.end();
    if (this.#shown !== undefined) this.#endShown(this.#shown);
    this.#controls = new ControlScanner();
    this.#tail = "";
  }

  #readShown(shown: readonly ValueScanner[], chunk: string, from: number, to: number, offset: number): void {
    const controls = this.#controls;
    for (let at = from; at < to; ) {
      const start = at;
      if (controls.isInText) at = nextSequence(chunk, at, to);
      if (at > start) for (const scanner of shown) scanner.read(chunk, start, at, offset);
      else {
        if (controls.read(chunk.charCodeAt(at)) === "shown")
          for (const scanner of shown) scanner.read(chunk, at, at + 1, offset);
        at += 1;
      }
    }
    if (!isBreak(chunk.charCodeAt(to - 1)) || !controls.isInText || !areIdle(this.#written) || !areIdle(shown)) return;
    this.#endShown(shown);
    this.#tailFrom = offset + to;
  }

  #beginShown(chunk: string, from: number, at: number, offset: number): readonly ValueScanner[] {
    const shown = this.#shownAtRest ?? scannersFor(this.#patterns, this.#findBy);
    const start = this.#startOfTail(offset + at);
    const text = start < offset + from ? this.#tail.slice(start - this.#tailFrom) : "";
    for (const scanner of shown) {
      scanner.read(text, 0, text.length, start);
      scanner.read(chunk, Math.max(from, start - offset), at, offset);
    }
    this.#tail = "";
    return shown;
  }

  #endShown(shown: readonly ValueScanner[]): void {
    for (const scanner of shown) scanner.end();
    this.#shownAtRest = shown;
    this.#shown = undefined;
  }

  #keepTail(chunk: string, from: number, to: number, offset: number): void {
    const start = this.#startOfTail(offset + to);
    this.#tail =
      start >= offset + from
        ? chunk.slice(start - offset, to)
        : this.#tail.slice(start - this.#tailFrom) + chunk.slice(from, to);
    this.#tailFrom = start;
  }

  /** One character earlier than what is undecided: a backslash may stand there. */
  #startOfTail(position: number): number {
    return Math.max(this.#tailFrom, Math.min(position, earliest(this.#written, position)) - 1);
  }
}

function scannersFor(patterns: SecretPatterns, findBy: FindBy): readonly ValueScanner[] {
  const { plain, url, html, escaped, hex, base64 } = patterns;
  return [
    new PlainScanner(plain, findBy(plain)),
    new DecodingScanner(decoders.url(), url, findBy(url)),
    new DecodingScanner(decoders.html(), html, findBy(html)),
    new DecodingScanner(decoders.escaped(), escaped, findBy(escaped)),
    new DecodingScanner(new HexDecoder(), hex, findBy(hex)),
    new Base64Scanner(base64, findBy(base64)),
  ];
}

function areIdle(scanners: readonly ValueScanner[]): boolean {
  return scanners.every(({ isIdle }) => isIdle);
}

function earliest(scanners: readonly ValueScanner[], position: number): number {
  return scanners.reduce((until, one) => Math.min(until, one.undecidedFrom(position)), Number.POSITIVE_INFINITY);
}

/** Where the next control sequence begins, or the end. */
function nextSequence(chunk: string, from: number, to: number): number {
  let at = from;
  while (at < to && !mayBeginSequence(chunk.charCodeAt(at))) at += 1;
  return at;
}

/** Where the next line begins, or the end. */
function endOfLine(chunk: string, from: number, to: number): number {
  let at = from;
  while (at < to && !isBreak(chunk.charCodeAt(at))) at += 1;
  return Math.min(at + 1, to);
}

function mayBeginSequence(unit: number): boolean {
  return unit === 0x1b || (unit >= 0x80 && unit <= 0x9f);
}
