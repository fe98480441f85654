import { relative } from "node:path/posix";
import {
  type Coverage,
  type FileCoverage,
  type RawCoverage,
  type RawFile,
  ratioOf,
  type Share,
} from "./raw-coverage.ts";
import { readSourceLines, type SourceLines, type SourceText } from "./source-lines.ts";

/** Coverage over all source files: what a report leaves out, for whatever reason, counts as not covered. */
export async function summariseCoverage(
  raw: RawCoverage,
  sources: Iterable<SourceText> | AsyncIterable<SourceText>,
  roots: readonly string[],
): Promise<Coverage> {
  const reported = new Map(raw.files.map((file) => [innerPath(file.path, roots), file]));
  const byName = Map.groupBy(reported, ([path]) => path.slice(path.lastIndexOf("/") + 1));
  const files: FileCoverage[] = [];
  for await (const source of sources) {
    const lines = readSourceLines(source);
    const file = reported.get(source.path) ?? findBySuffix(byName, source);
    if (file !== undefined) files.push(loaded(source, lines, file, raw.listsEveryLine));
    else if (!lines.isEmpty) files.push(notLoaded(source.path, lines));
  }
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

function loaded(source: SourceText, lines: SourceLines, file: RawFile, listsEveryLine: boolean): FileCoverage {
  const hidden = lines.code.filter((line) => lines.hidden.has(line));
  const known = new Set(listsEveryLine ? lines.code : [...file.lines.keys(), ...hidden]);
  // What a comment hides is missing in some reports and counted as covered in others: here it is never covered.
  const covered = [...known].filter((line) => (file.lines.get(line) ?? 0) > 0 && !lines.hidden.has(line));
  const functions = functionsOf(source, lines, file);
  const told = new Set(functions.map(({ line }) => line));
  const missed = lines.functionLines.filter((line) => lines.hidden.has(line) && !told.has(line));
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

/** Go names files by module. */
function findBySuffix(
  byName: ReadonlyMap<string, readonly (readonly [string, RawFile])[]>,
  { path, language }: SourceText,
): RawFile | undefined {
  if (language !== "go") return undefined;
  const same = byName.get(path.slice(path.lastIndexOf("/") + 1)) ?? [];
  return same.find(([name]) => name.endsWith(`/${path}`))?.[1];
}

/** A path from the project's folder on. */
export function innerPath(path: string, roots: readonly string[]): string {
  const plain = path.startsWith("file://") ? decoded(path.slice(7)) : path;
  const root = roots.find((one) => plain.startsWith(`${one}/`));
  return root === undefined ? plain.replace(/^\.\//, "") : relative(root, plain);
}

/** As it is where it is no address: reports hold anything. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function sum(shares: readonly Share[]): Share {
  const add = (key: keyof Share) => shares.reduce((all, share) => all + share[key], 0);
  return { covered: add("covered"), total: add("total") };
}
