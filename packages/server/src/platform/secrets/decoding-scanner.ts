import { isPrintable } from "../log/index.ts";
import type { Decoder } from "./decoders/index.ts";
import { mayBegin, skipTo } from "./may-begin.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PatternCursor } from "./pattern-cursor.ts";
import type { Find, ValueScanner } from "./secret-scanner.ts";
import { Utf8Sink } from "./utf8-sink.ts";

/** Looks for secrets in a text as a decoder reads it. */
export class DecodingScanner implements ValueScanner {
  readonly #decoder: Decoder;
  readonly #cursor: PatternCursor;
  readonly #sink: Utf8Sink;
  readonly #mayBegin: Uint8Array;

  constructor(decoder: Decoder, automaton: PatternAutomaton, find: Find) {
    this.#decoder = decoder;
    this.#cursor = new PatternCursor(automaton, find);
    this.#sink = new Utf8Sink(this.#cursor, decoder.leftOut, "text");
    this.#mayBegin = mayBegin(automaton, decoder.openers);
  }

  get isIdle(): boolean {
    return this.#cursor.isAtRoot && this.#decoder.isIdle && this.#sink.isIdle;
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    const decoder = this.#decoder;
    const cursor = this.#cursor;
    const sink = this.#sink;
    for (let at = from; at < to; at += 1) {
      if (cursor.isAtRoot && decoder.isIdle && sink.isIdle) at = skipTo(this.#mayBegin, chunk, at, to);
      const unit = chunk.charCodeAt(at);
      if (isPrintable(unit)) decoder.read(unit, offset + at, sink);
    }
  }

  undecidedFrom(position: number): number {
    return Math.min(this.#decoder.undecidedFrom(), this.#sink.undecidedFrom(), this.#cursor.undecidedFrom(position));
  }

  end(): void {
    this.#decoder.end(this.#sink);
    this.#sink.end();
    this.#cursor.reset();
  }
}
