import { isPrintable } from "../log/index.ts";
import { mayBegin, skipTo } from "./may-begin.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PatternCursor } from "./pattern-cursor.ts";
import type { Find, ValueScanner } from "./secret-scanner.ts";
import { Utf8Sink } from "./utf8-sink.ts";

/** Looks for secrets character by character. */
export class PlainScanner implements ValueScanner {
  readonly #cursor: PatternCursor;
  readonly #sink: Utf8Sink;
  readonly #mayBegin: Uint8Array;

  constructor(automaton: PatternAutomaton, find: Find) {
    this.#cursor = new PatternCursor(automaton, find);
    this.#sink = new Utf8Sink(this.#cursor, "", "text");
    this.#mayBegin = mayBegin(automaton);
  }

  get isIdle(): boolean {
    return this.#cursor.isAtRoot && this.#sink.isIdle;
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    const cursor = this.#cursor;
    const sink = this.#sink;
    for (let at = from; at < to; at += 1) {
      if (cursor.isAtRoot && sink.isIdle) at = skipTo(this.#mayBegin, chunk, at, to);
      const unit = chunk.charCodeAt(at);
      if (isPrintable(unit)) sink.plain(unit, offset + at, offset + at + 1);
    }
  }

  undecidedFrom(position: number): number {
    return Math.min(this.#sink.undecidedFrom(), this.#cursor.undecidedFrom(position));
  }

  end(): void {
    this.#sink.end();
    this.#cursor.reset();
  }
}
