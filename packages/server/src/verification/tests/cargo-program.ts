/** A test, and the word that Rust's harness has for how it ended: `ok`, `FAILED` or `ignored`. */
interface Told {
  readonly name: string;
  readonly word: string;
}

/**
 * What a test program of Rust prints. Its harness captures most of what tests print, but not all: that of programs which a test
 * starts, for one, stands between and within its own lines.
 */
export class TestProgram {
  /** How many tests it has. */
  readonly #count: number;
  /** By name. A line of the harness alone says most; the others are believed where those do not say enough. */
  readonly #told = new Map<string, string>();
  readonly #glued = new Map<string, string>();
  /** A test that runs alone is named first, and its end comes after what it prints. */
  #open: { readonly name: string; said: string } | undefined;
  #listed = new Set<string>();
  /** How many tests have failed, as it says at its end. */
  #failed: number | undefined;

  constructor(count: number) {
    this.#count = count;
  }

  read(line: string): void {
    const whole = /^test (.{1,500}?) \.\.\. (ok|FAILED|ignored)(?:, .*)?$/.exec(line);
    const end = /test (\S{1,500}(?: - should panic)?) \.\.\. (ok|FAILED|ignored)$/.exec(line.slice(-600));
    const begun = /^test (\S{1,500}(?: - should panic)?) \.\.\. /.exec(line)?.[1];
    const result = /^test result: (?:ok|FAILED)\. \d{1,7} passed; (\d{1,7}) failed;/.exec(line)?.[1];
    const listed = /^ {4}(\S.{0,500})$/.exec(line)?.[1];
    const isList = line === "failures:";
    if (whole ?? end ?? begun ?? result ?? (isList || undefined)) this.#close();
    if (isList && this.#failed === undefined) this.#listed = new Set();
    if (listed !== undefined) this.#listed.add(listed);
    if (result !== undefined) this.#failed = Math.max(this.#failed ?? 0, Number(result));
    if (whole !== null) note(this.#told, whole[1]!, whole[2]!);
    else if (end !== null) note(this.#glued, end[1]!, end[2]!);
    else if (begun !== undefined) this.#open = { name: begun, said: line };
    else if (this.#open !== undefined && line !== "") this.#open.said = line;
  }

  /** Its tests, as far as it has told of them. */
  tests(): readonly Told[] {
    const told = new Map(this.#told);
    // Only a program that has come to its end says what became of all of its tests.
    const isWhole = this.#failed !== undefined;
    for (const [name, word] of isWhole ? this.#glued : [])
      if (told.size < this.#count && !told.has(name)) told.set(name, word);
    const failed = [...told.values()].filter((word) => word === "FAILED").length;
    // A test may print what looks like its own success.
    if (isWhole && failed < this.#failed!)
      for (const name of this.#listed) if (told.has(name)) told.set(name, "FAILED");
    return [...told].map(([name, word]) => ({ name, word }));
  }

  /** What it does not tell by its tests; undefined if nothing is missing. */
  lack(): string | undefined {
    const tests = this.tests();
    const left = this.#count - tests.length;
    if (left > 0 && this.#failed === undefined) return `The program ended before ${left} of its tests did.`;
    const failed = tests.filter(({ word }) => word === "FAILED").length;
    const unnamed = Math.max(left, (this.#failed ?? 0) - failed);
    if (unnamed <= 0) return undefined;
    return `How ${unnamed} of its tests ended cannot be read, for they print within the lines that tell of it. Let what they print, and what programs print that they start, end with a line.`;
  }

  #close(): void {
    const word = /(?:ok|FAILED|ignored)$/.exec(this.#open?.said.slice(-10) ?? "")?.[0];
    if (this.#open !== undefined && word !== undefined) note(this.#glued, this.#open.name, word);
    this.#open = undefined;
  }
}

/** What is said of a test once more, after the harness's own word too, makes no failure a success. */
function note(told: Map<string, string>, name: string, word: string): void {
  if (told.get(name) !== "FAILED") told.set(name, word);
}
