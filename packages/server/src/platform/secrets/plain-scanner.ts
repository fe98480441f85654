import { isBreak } from "../log/index.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PatternCursor } from "./pattern-cursor.ts";
import type { Hide, SecretScanner } from "./secret-scanner.ts";

/** Looks for secrets character by character; line breaks and tabs between them do not count. */
export class PlainScanner implements SecretScanner {
  readonly #automaton: PatternAutomaton;
  readonly #cursor: PatternCursor;

  constructor(automaton: PatternAutomaton, hide: Hide) {
    this.#automaton = automaton;
    this.#cursor = new PatternCursor(automaton, hide);
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    const automaton = this.#automaton;
    const cursor = this.#cursor;
    for (let at = from; at < to; at += 1) {
      const unit = chunk.charCodeAt(at);
      if (cursor.isAtRoot && automaton.first(unit) === 0) continue;
      if (!isBreak(unit)) cursor.feed(unit, offset + at, offset + at + 1);
    }
  }

  undecidedFrom(position: number): number {
    return this.#cursor.undecidedFrom(position);
  }

  end(): void {}
}
