/** What a run covered of one file, as its runner reports it. */
export interface RawFile {
  /** As reported: absolute, or from the project's folder on. */
  readonly path: string;
  /** How often a line ran. */
  readonly lines: ReadonlyMap<number, number>;
  readonly functions: readonly RawFunction[];
}

export interface RawFunction {
  readonly name: string;
  readonly line: number;
  readonly hits: number;
}

export interface RawCoverage {
  readonly method: string;
  /**
   * Whether a line of code that is missing in the report did not run. Elsewhere it may be the second line of a statement,
   * or one that a comment hides.
   */
  readonly listsEveryLine: boolean;
  readonly files: readonly RawFile[];
}

export interface Share {
  readonly covered: number;
  readonly total: number;
}

export interface FileCoverage {
  readonly path: string;
  readonly lines: Share;
  readonly functions: Share;
  /** Whether any test loaded it. */
  readonly isLoaded: boolean;
  /** Lines under comments that ask coverage to look away. They count as not covered. */
  readonly hiddenLines: number;
}

/** What tests cover of all source files, those that no test loads included. */
export interface Coverage {
  readonly method: string;
  readonly lines: Share;
  readonly functions: Share;
  /** The smaller one of both shares: lines alone look covered where functions of one line never run. */
  readonly ratio: number;
  readonly hiddenLines: number;
  readonly files: readonly FileCoverage[];
}

export function ratioOf({ covered, total }: Share): number {
  return total === 0 ? 1 : covered / total;
}

/** Adds up what several runs covered. */
export function mergeRaw(all: readonly RawCoverage[]): RawCoverage | undefined {
  const [first, ...rest] = all;
  if (first === undefined || rest.length === 0) return first;
  const files = new Map<string, RawFile>();
  for (const file of all.flatMap((one) => one.files)) {
    const before = files.get(file.path);
    files.set(file.path, before === undefined ? file : mergeFile(before, file));
  }
  return {
    method: [...new Set(all.map(({ method }) => method))].join(", "),
    listsEveryLine: all.every(({ listsEveryLine }) => listsEveryLine),
    files: [...files.values()],
  };
}

function mergeFile(a: RawFile, b: RawFile): RawFile {
  const lines = new Map(a.lines);
  for (const [line, hits] of b.lines) lines.set(line, (lines.get(line) ?? 0) + hits);
  const functions = new Map(a.functions.map((one) => [`${one.line} ${one.name}`, one]));
  for (const one of b.functions) {
    const key = `${one.line} ${one.name}`;
    functions.set(key, { ...one, hits: one.hits + (functions.get(key)?.hits ?? 0) });
  }
  return { path: a.path, lines, functions: [...functions.values()] };
}
