import { relative } from "node:path/posix";
import type { Language } from "../test-files.ts";
import { type Coverage, type FileCoverage, type RawCoverage, type RawFile, ratioOf, type Share } from "./coverage.ts";
import { readSourceLines, type SourceLines } from "./source-lines.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
}

/** Coverage over all source files: what a report leaves out, for whatever reason, counts as not covered. */
export function summariseCoverage(
  raw: RawCoverage,
  sources: readonly SourceFile[],
  roots: readonly string[],
): Coverage {
  const reported = new Map(raw.files.map((file) => [innerPath(file.path, roots), file]));
  const files = sources.flatMap((source) => {
    const lines = readSourceLines(source.text, source.language);
    const file = reported.get(source.path) ?? findBySuffix(reported, source);
    if (file === undefined && lines.isEmpty) return [];
    return [file === undefined ? notLoaded(source.path, lines) : loaded(source, lines, file, raw.listsEveryLine)];
  });
  const lines = sum(files.map((file) => file.lines));
  const functions = sum(files.map((file) => file.functions));
  return {
    method: raw.method,
    lines,
    functions,
    // Without a single line of source, nothing is covered.
    ratio: lines.total === 0 ? 0 : Math.min(ratioOf(lines), ratioOf(functions)),
    hiddenLines: files.reduce((all, { hiddenLines }) => all + hiddenLines, 0),
    files,
  };
}

function loaded(source: SourceFile, lines: SourceLines, file: RawFile, listsEveryLine: boolean): FileCoverage {
  const hidden = lines.code.filter((line) => lines.hidden.has(line));
  const known = new Set(listsEveryLine ? lines.code : [...file.lines.keys(), ...hidden]);
  // What a comment hides is missing in some reports and counted as covered in others: here it is never covered.
  const covered = [...known].filter((line) => (file.lines.get(line) ?? 0) > 0 && !lines.hidden.has(line));
  const functions = functionsOf(source, lines, file);
  const missed = lines.functionLines.filter(
    (line) => lines.hidden.has(line) && !functions.some((one) => one.line === line),
  );
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

/** Go's profile has no functions: one ran if the first line after its head did. */
function functionsOf(source: SourceFile, lines: SourceLines, file: RawFile): RawFile["functions"] {
  if (source.language !== "go") return file.functions;
  return lines.functionLines.map((line, at) => {
    const end = lines.functionLines[at + 1] ?? Number.POSITIVE_INFINITY;
    const inside = [...file.lines].filter(([number]) => number >= line && number < end);
    return { name: "", line, hits: inside.some(([, hits]) => hits > 0) ? 1 : 0 };
  });
}

function notLoaded(path: string, { code, functionLines }: SourceLines): FileCoverage {
  const lines = { covered: 0, total: code.length };
  return { path, lines, functions: { covered: 0, total: functionLines.length }, isLoaded: false, hiddenLines: 0 };
}

/** Go names files by module. */
function findBySuffix(reported: ReadonlyMap<string, RawFile>, { path, language }: SourceFile): RawFile | undefined {
  if (language !== "go") return undefined;
  return [...reported].find(([name]) => name.endsWith(`/${path}`))?.[1];
}

/** A path from the project's folder on. */
export function innerPath(path: string, roots: readonly string[]): string {
  const plain = path.startsWith("file://") ? decodeURI(path.slice(7)) : path;
  const root = roots.find((one) => plain.startsWith(`${one}/`));
  return root === undefined ? plain.replace(/^\.\//, "") : relative(root, plain);
}

function sum(shares: readonly Share[]): Share {
  const add = (key: keyof Share) => shares.reduce((all, share) => all + share[key], 0);
  return { covered: add("covered"), total: add("total") };
}
