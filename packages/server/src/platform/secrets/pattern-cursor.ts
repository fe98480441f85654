import type { PatternAutomaton } from "./pattern-automaton.ts";
import type { Find } from "./secret-scanner.ts";

/** Between two characters of a secret, a program may write any number of line breaks or colours. This bounds what is held back. */
const minMaxSpan = 64 * 1024;
/** A power of two. */
const minStarts = 16;

/** Takes symbols, and where each of them stands in the text. */
export interface SymbolSink {
  feed(symbol: number, start: number, end: number): void;
}

/** Follows symbols through an automaton and tells what it finds. It remembers where the last symbols stood in the text. */
export class PatternCursor implements SymbolSink {
  readonly #automaton: PatternAutomaton;
  readonly #find: Find;
  readonly #maxSpan: number;
  /** A ring of those that may matter, which grows with them: most texts that are masked have a line. */
  #starts = new Float64Array(minStarts);
  #mask = minStarts - 1;
  #state = 0;
  #count = 0;
  /** Whether the symbol right before a match belongs to it. */
  readonly #withSymbolBefore: boolean;
  #resetAt = 0;

  constructor(automaton: PatternAutomaton, find: Find, { withSymbolBefore = false } = {}) {
    this.#automaton = automaton;
    this.#find = find;
    this.#withSymbolBefore = withSymbolBefore;
    this.#maxSpan = Math.max(minMaxSpan, 4 * automaton.maxLength);
  }

  /** Whether the last symbols begin no pattern. */
  get isAtRoot(): boolean {
    return this.#state === 0;
  }

  /** Whether the last symbol ends a pattern that has a tail. */
  get awaitsTail(): boolean {
    return this.#automaton.tails[this.#state] === 1;
  }

  /** Where the pattern begins that the last symbol ends. */
  get foundFrom(): number {
    return this.#startOf(this.#automaton.foundLengths[this.#state]!);
  }

  feed(symbol: number, start: number, end: number): void {
    // Beside those of the match, the symbol before it and this one.
    if (this.#automaton.depths[this.#state]! + 2 > this.#mask) this.#grow();
    this.#starts[this.#count & this.#mask] = start;
    this.#count += 1;
    const next = this.#automaton.next(this.#state, symbol);
    this.#state = next;
    if (next === 0) return;
    this.#state = this.#withinSpan(next, end);
    if (this.#automaton.foundLengths[this.#state]! > 0) this.#find(this.foundFrom, end, this.#state);
  }

  /** The symbols before and after do not belong together. */
  reset(): void {
    this.#state = 0;
    this.#resetAt = this.#count;
  }

  undecidedFrom(position: number): number {
    // What is spread too far stays so: the next question need not look again.
    this.#state = this.#withinSpan(this.#state, position);
    if (this.#state !== 0) return this.#startOf(this.#automaton.depths[this.#state]!);
    // The last symbol may be the one before a pattern.
    const last = this.#startOf(0, position);
    return last < position ? last : Number.POSITIVE_INFINITY;
  }

  #grow(): void {
    const before = this.#starts;
    const mask = this.#mask;
    this.#starts = new Float64Array(2 * before.length);
    this.#mask = this.#starts.length - 1;
    for (let at = Math.max(0, this.#count - before.length); at < this.#count; at += 1)
      this.#starts[at & this.#mask] = before[at & mask]!;
  }

  /** The longest match that is not spread too far over the text. */
  #withinSpan(state: number, end: number): number {
    const { depths, fallbacks } = this.#automaton;
    let within = state;
    while (within !== 0 && end - this.#starts[(this.#count - depths[within]!) & this.#mask]! > this.#maxSpan)
      within = fallbacks[within]!;
    return within;
  }

  /** Where the last symbols begin; `start` is where the first of them stands, if there is none. */
  #startOf(length: number, start = this.#starts[(this.#count - length) & this.#mask]!): number {
    if (!this.#withSymbolBefore || this.#count - length <= this.#resetAt) return start;
    const before = this.#starts[(this.#count - length - 1) & this.#mask]!;
    // Not across a line break: the last character of each line would wait for the next line.
    return before + 1 === start ? before : start;
  }
}
