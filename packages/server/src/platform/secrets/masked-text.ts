import { ControlScanner, isPrintable } from "../log/index.ts";
import { KnownSecretScanner } from "./known-secret-scanner.ts";
import { PrivateKeyScanner } from "./private-key-scanner.ts";
import type { SecretPatterns } from "./secret-patterns.ts";
import type { SecretScanner } from "./secret-scanner.ts";
import { TokenScanner } from "./token-scanner.ts";

const mask = "********";
/** Fewer characters of a secret tell nothing of it, and stand in many words. */
const minTelling = 4;

interface Span {
  start: number;
  end: number;
  /** Whether its mask was already shown. */
  isContinued: boolean;
}

/** One text on its way through all scanners. It holds back what some scanner cannot decide yet. */
export class MaskedText {
  readonly #controls = new ControlScanner();
  readonly #known: readonly SecretScanner[];
  /** Read what a terminal shows, and know that line breaks and tabs separate. */
  readonly #inLines: readonly SecretScanner[];
  /** Takes control sequences, too, as an end of the word. */
  readonly #tokens: TokenScanner;
  readonly #all: readonly SecretScanner[];
  #spans: Span[] = [];
  #held = "";
  #heldFrom = 0;

  constructor(patterns: SecretPatterns | undefined) {
    const hide = (start: number, end: number) => this.#hide(start, end);
    this.#tokens = new TokenScanner(hide);
    this.#inLines = [new TokenScanner(hide), new PrivateKeyScanner(hide)];
    this.#known = patterns === undefined ? [] : [new KnownSecretScanner(patterns, () => hide)];
    this.#all = [this.#tokens, ...this.#inLines, ...this.#known];
  }

  /** Takes the next chunk; returns what is safe to show. */
  push(chunk: string): string {
    this.#read(chunk);
    return this.#showDecided();
  }

  /** Takes the next chunk, parts of which were cut off before: what stands before `…` may be the beginning of a secret. */
  pushCut(chunk: string): string {
    let from = 0;
    for (let at = chunk.indexOf("…"); at !== -1; at = chunk.indexOf("…", at + 1)) {
      this.#read(chunk.slice(from, at));
      this.#noteCut();
      from = at;
    }
    this.#read(chunk.slice(from));
    return this.#showDecided();
  }

  /**
   * Says that the next text is the mark of somebody who cut off the rest: what may be the beginning of a secret that is
   * known, and is long enough to tell of it, is hidden.
   */
  #noteCut(): void {
    const position = this.#heldFrom + this.#held.length;
    const from = this.#known.reduce((until, scanner) => Math.min(until, scanner.undecidedFrom(position)), position);
    if (position - from >= minTelling) this.#hide(Math.max(from, this.#heldFrom), position);
  }

  /** Ends the text; returns what was held back. */
  end(): string {
    for (const scanner of this.#all) scanner.end();
    return this.#show(this.#heldFrom + this.#held.length);
  }

  #read(chunk: string): void {
    const offset = this.#heldFrom + this.#held.length;
    for (const scanner of this.#known) scanner.read(chunk, 0, chunk.length, offset);
    this.#readWithoutControls(chunk, offset);
    this.#held += chunk;
  }

  #showDecided(): string {
    const position = this.#heldFrom + this.#held.length;
    return this.#show(this.#all.reduce((until, scanner) => Math.min(until, scanner.undecidedFrom(position)), position));
  }

  #readWithoutControls(chunk: string, offset: number): void {
    const controls = this.#controls;
    for (let at = 0; at < chunk.length; ) {
      const from = at;
      if (controls.isInText) while (at < chunk.length && isPrintable(chunk.charCodeAt(at))) at += 1;
      if (at > from) {
        this.#tokens.read(chunk, from, at, offset);
        for (const scanner of this.#inLines) scanner.read(chunk, from, at, offset);
      } else {
        this.#readControl(chunk, at, offset);
        at += 1;
      }
    }
  }

  #readControl(chunk: string, at: number, offset: number): void {
    const found = this.#controls.read(chunk.charCodeAt(at));
    if (found === "shown" || found === "break")
      for (const scanner of this.#inLines) scanner.read(chunk, at, at + 1, offset);
    if (found === "control") this.#tokens.breakWord();
    else this.#tokens.read(chunk, at, at + 1, offset);
  }

  /** Scanners report in order, so that most spans meet the last one: a long run of matches stays one span. */
  #hide(start: number, end: number): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && start >= last.start && start < last.end) last.end = Math.max(last.end, end);
    else this.#spans.push({ start, end, isContinued: false });
  }

  /** Moves everything before `until` out; a span that goes on after it is masked once. */
  #show(until: number): string {
    if (until <= this.#heldFrom) return "";
    let shown = "";
    let at = this.#heldFrom;
    const rest: Span[] = [];
    for (const span of merged(this.#spans)) {
      if (span.start >= until) {
        rest.push(span);
        continue;
      }
      if (!span.isContinued) shown += this.#textBetween(at, Math.max(at, span.start)) + mask;
      at = Math.min(span.end, until);
      if (span.end > until) rest.push({ start: until, end: span.end, isContinued: true });
    }
    shown += this.#textBetween(at, until);
    this.#spans = rest;
    this.#held = this.#held.slice(until - this.#heldFrom);
    this.#heldFrom = until;
    return shown;
  }

  #textBetween(start: number, end: number): string {
    return this.#held.slice(start - this.#heldFrom, end - this.#heldFrom);
  }
}

/** Spans that overlap become one; spans that only touch each keep their mask. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || Number(b.isContinued) - Number(a.isContinued))) {
    const last = result.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else result.push({ ...span });
  }
  return result;
}
