import type { Decoder } from "./decoders/index.ts";
import { mayBegin, skipTo } from "./may-begin.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PatternCursor } from "./pattern-cursor.ts";
import type { Find, SecretScanner } from "./secret-scanner.ts";
import { type Reading, Utf8Sink } from "./utf8-sink.ts";

/** Looks for secrets in a text as a decoder reads it. */
export class DecodingScanner implements SecretScanner {
  readonly #decoder: Decoder;
  readonly #cursor: PatternCursor;
  readonly #sink: Utf8Sink;
  readonly #mayBegin: Uint8Array;

  constructor(decoder: Decoder, automaton: PatternAutomaton, find: Find, reading: Reading) {
    this.#decoder = decoder;
    this.#cursor = new PatternCursor(automaton, find);
    this.#sink = new Utf8Sink(this.#cursor, decoder.leftOut, reading);
    this.#mayBegin = mayBegin(automaton, reading, decoder.openers);
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    const decoder = this.#decoder;
    const cursor = this.#cursor;
    const sink = this.#sink;
    for (let at = from; at < to; at += 1) {
      if (cursor.isAtRoot && decoder.isIdle && sink.isIdle) at = skipTo(this.#mayBegin, chunk, at, to);
      decoder.read(chunk.charCodeAt(at), offset + at, sink);
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
