import type { PatternAutomaton } from "./pattern-automaton.ts";
import { PlainScanner } from "./plain-scanner.ts";
import { type SecretPatterns, skippedInFiles } from "./secret-patterns.ts";
import type { SecretScanner } from "./secret-scanner.ts";
import { encodedScanners } from "./secret-scanners.ts";

/** Looks for values in the bytes of files, one after the other, by the same scanners that mask them in output. */
export class FileSearch {
  readonly #scanners: readonly SecretScanner[];
  #owners = new Set<number>();
  #seen = new Map<PatternAutomaton, Set<number>>();
  #offset = 0;

  constructor(patterns: SecretPatterns) {
    const findBy = (automaton: PatternAutomaton) => (_start: number, _end: number, state: number) =>
      this.#note(automaton, state);
    this.#scanners = [
      new PlainScanner(patterns.plain, findBy(patterns.plain), "bytes"),
      ...encodedScanners(patterns, findBy, "bytes"),
    ];
  }

  /** Reads on in a file. */
  read(bytes: Uint8Array): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    for (let at = 0; at < bytes.length; ) {
      while (at < bytes.length && isSkipped[bytes[at]!] === 1) at += 1;
      const from = at;
      while (at < bytes.length && isSkipped[bytes[at]!] === 0) at += 1;
      if (at > from) for (const scanner of this.#scanners) scanner.read(text, from, at, this.#offset);
    }
    this.#offset += bytes.length;
  }

  /** Ends the file; returns which values it holds, by their place among all. */
  end(): ReadonlySet<number> {
    for (const scanner of this.#scanners) scanner.end();
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

const isSkipped = Uint8Array.from({ length: 256 }, (_, byte) =>
  String.fromCharCode(byte).replace(skippedInFiles, "") === "" ? 1 : 0,
);
