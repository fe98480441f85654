/** What a run covered of one file, as its runner reports it. */
export interface RawFile {
  /** As reported: absolute, or from the project's folder on. */
  readonly path: string;
  /** Where the report says that its path begins; not believed where that is none of the project's folders. */
  readonly begins?: string;
  /** How often a line ran. */
  readonly lines: ReadonlyMap<number, number>;
  readonly functions: readonly RawFunction[];
}

interface RawFunction {
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

/** Of everything that is added up: each is unpacked and counted by the service's own thread. */
const maxEntries = 300_000;

/** Why reports say more than can be added up; undefined if they do not. */
export function whyTooMuch(all: readonly RawCoverage[]): string | undefined {
  let left = maxEntries;
  // About what each takes beside a line.
  for (const { files } of all) for (const { lines, functions } of files) left -= lines.size + 3 * functions.length + 6;
  return left < 0 ? `tells of more than ${maxEntries} lines` : undefined;
}

/** What several runs covered. */
export function mergeRaw(all: readonly RawCoverage[]): RawCoverage | undefined {
  if (all.length === 0) return undefined;
  return {
    method: [...new Set(all.map(({ method }) => method))].join(", "),
    listsEveryLine: all.every(({ listsEveryLine }) => listsEveryLine),
    files: all.flatMap(({ files }) => files),
  };
}

/**
 * What is told of one file: by several runs, or by a report that has a part for each class. All at once: there may be
 * thousands, and to copy the lines each time would take minutes.
 */
export function addUp(same: readonly RawFile[]): RawFile {
  const first = same[0]!;
  if (same.length === 1) return first;
  const lines = new Map<number, number>();
  const functions = new Map<string, RawFunction>();
  for (const file of same) {
    for (const [line, hits] of file.lines) lines.set(line, (lines.get(line) ?? 0) + hits);
    const seen = new Map<string, number>();
    for (const one of file.functions) {
      const place = `${one.line} ${one.name}`;
      const nth = seen.get(place) ?? 0;
      seen.set(place, nth + 1);
      const key = `${nth} ${place}`;
      functions.set(key, { ...one, hits: one.hits + (functions.get(key)?.hits ?? 0) });
    }
  }
  return { path: first.path, lines, functions: [...functions.values()] };
}
