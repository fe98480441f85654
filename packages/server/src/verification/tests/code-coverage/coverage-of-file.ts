import { findImports } from "./find-imports.ts";
import type { FileCoverage, RawFile } from "./raw-coverage.ts";
import { readSourceLines, type SourceLines, type SourceText } from "./source-lines.ts";

/** A source, and what a report says of it. */
export interface ReportedSource {
  readonly source: SourceText;
  readonly file: RawFile | undefined;
}

/** What is known of source files. */
export interface CoveredFiles {
  /** Those that have nothing to run are left out. */
  readonly files: readonly FileCoverage[];
  /** What they take from other files. */
  readonly imports: readonly string[];
}

/** What reports say of source files, which may be padded to any size. */
export function coverageOfFiles(sources: readonly ReportedSource[], listsEveryLine: boolean): CoveredFiles {
  const files = sources.flatMap(({ source, file }) => {
    const lines = readSourceLines(source);
    if (file !== undefined) return [loaded(source, lines, file, listsEveryLine)];
    return lines.isEmpty ? [] : [notLoaded(source.path, lines)];
  });
  return { files, imports: [...new Set(sources.flatMap(({ source }) => findImports(source)))] };
}

function loaded(source: SourceText, lines: SourceLines, file: RawFile, listsEveryLine: boolean): FileCoverage {
  const hidden = lines.code.filter((line) => lines.hidden.has(line));
  // A report may tell of lines that are not there, and be better for each of them.
  const count = linesIn(source.text);
  const told = [...file.lines.keys()].filter((line) => Number.isInteger(line) && line >= 1 && line <= count);
  const known = new Set(listsEveryLine ? lines.code : [...told, ...hidden]);
  // What a comment hides is missing in some reports and counted as covered in others: here it is never covered.
  const covered = [...known].filter((line) => (file.lines.get(line) ?? 0) > 0 && !lines.hidden.has(line));
  const functions = functionsOf(source, lines, file);
  const toldFunctions = new Set(functions.map(({ line }) => line));
  const missed = lines.functionLines.filter((line) => lines.hidden.has(line) && !toldFunctions.has(line));
  return {
    path: source.path,
    lines: { covered: covered.length, total: known.size },
    functions: {
      covered: functions.filter(({ line, hits }) => hits > 0 && !lines.hidden.has(line)).length,
      total: functions.length + missed.length,
    },
    isLoaded: listsEveryLine || [...file.lines.values()].some((hits) => hits > 0),
    hiddenLines: source.language === "python" ? 0 : hidden.length,
  };
}

/** By whatever ends a line for one language or another. */
function linesIn(text: string): number {
  let count = 1;
  for (const _ of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) count += 1;
  return count;
}

/** Go's profile has no functions: one ran if the first line after its head did. */
function functionsOf(source: SourceText, lines: SourceLines, file: RawFile): RawFile["functions"] {
  if (source.language !== "go") return file.functions;
  const ran = [...file.lines].flatMap(([number, hits]) => (hits > 0 ? [number] : [])).sort((a, b) => a - b);
  let next = 0;
  return lines.functionLines.map((line, at) => {
    const end = lines.functionLines[at + 1] ?? Number.POSITIVE_INFINITY;
    while (next < ran.length && ran[next]! < line) next += 1;
    return { name: "", line, hits: next < ran.length && ran[next]! < end ? 1 : 0 };
  });
}

function notLoaded(path: string, { code, functionLines }: SourceLines): FileCoverage {
  const lines = { covered: 0, total: code.length };
  return { path, lines, functions: { covered: 0, total: functionLines.length }, isLoaded: false, hiddenLines: 0 };
}
