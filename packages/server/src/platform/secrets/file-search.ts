import { KnownSecretScanner } from "./known-secret-scanner.ts";
import { NarrowText } from "./narrow-text.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import type { SecretPatterns } from "./secret-patterns.ts";
import { WideText } from "./wide-text.ts";

/** Looks for values in files, one after the other, by what masks them in output. */
export class FileSearch {
  readonly #narrow = new NarrowText();
  readonly #wide = new WideText();
  readonly #inNarrow: ReadText;
  readonly #inWide: ReadText;
  #owners = new Set<number>();
  #seen = new Map<PatternAutomaton, Set<number>>();

  constructor(patterns: SecretPatterns) {
    const findBy = (automaton: PatternAutomaton) => (_start: number, _end: number, state: number) =>
      this.#note(automaton, state);
    this.#inNarrow = new ReadText(new KnownSecretScanner(patterns, findBy));
    this.#inWide = new ReadText(new KnownSecretScanner(patterns, findBy));
  }

  /** Reads on in a file. Whether it is one in UTF-16, only its reader knows: it is read as both. */
  read(bytes: Uint8Array): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#inNarrow.read(this.#narrow.read(buffer));
    this.#inWide.read(this.#wide.read(buffer));
  }

  /** Ends the file; returns which values it holds, by their place among all. */
  end(): ReadonlySet<number> {
    this.#inNarrow.read(this.#narrow.end());
    this.#wide.end();
    this.#inNarrow.end();
    this.#inWide.end();
    const owners = this.#owners;
    this.#owners = new Set();
    this.#seen = new Map();
    return owners;
  }

  #note(automaton: PatternAutomaton, state: number): void {
    const seen = this.#seen.get(automaton) ?? new Set();
    this.#seen.set(automaton, seen);
    automaton.addOwners(state, this.#owners, seen);
  }
}

/** Counts the characters of all texts that a scanner reads. */
class ReadText {
  readonly #scanner: KnownSecretScanner;
  #length = 0;

  constructor(scanner: KnownSecretScanner) {
    this.#scanner = scanner;
  }

  read(text: string): void {
    this.#scanner.read(text, 0, text.length, this.#length);
    this.#length += text.length;
  }

  end(): void {
    this.#scanner.end();
  }
}
