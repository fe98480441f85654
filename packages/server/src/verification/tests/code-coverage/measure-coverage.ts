import { isAbsolute, join, relative } from "node:path/posix";
import { takeTurns } from "../../../platform/in-turns.ts";
import { readBounded } from "../../reading/read-bounded.ts";
import type { ReportedSource } from "./coverage-of-file.ts";
import {
  addUp,
  type Coverage,
  type FileCoverage,
  type RawCoverage,
  type RawFile,
  ratioOf,
  type Share,
} from "./raw-coverage.ts";
import type { SourceText } from "./source-lines.ts";

type Sources = Iterable<SourceText> | AsyncIterable<SourceText>;

interface CoverageOptions {
  readonly roots: readonly string[];
  /** Which Go names files by, if it is known. */
  readonly goModule?: string | undefined;
  readonly signal?: AbortSignal;
  /** Further sources, by what those before them import; undefined if there are none. */
  readonly follow?: (imports: Iterable<string>) => Promise<Sources | undefined>;
}

/** Coverage over all source files: what a report leaves out, for whatever reason, counts as not covered. */
export async function summariseCoverage(
  raw: RawCoverage,
  sources: Sources,
  { roots, goModule, signal = new AbortController().signal, follow }: CoverageOptions,
): Promise<Coverage> {
  const allRoots = goModule === undefined ? roots : [...roots, goModule];
  const byPath = Map.groupBy(raw.files, (file) => placeOf(file, allRoots));
  const reported = new Map([...byPath].map(([path, same]) => [path, addUp(same)]));
  const byLength = [...reported].sort(([a], [b]) => a.length - b.length);
  const byName = Map.groupBy(byLength, ([path]) => path.slice(path.lastIndexOf("/") + 1));
  const findOther = (source: SourceText) => (goModule === undefined ? findBySuffix(byName, source) : undefined);
  const turn = takeTurns(signal);
  const files: FileCoverage[] = [];
  for (let next: Sources | undefined = sources; next !== undefined; ) {
    const imports = new Set<string>();
    for await (const batch of inBatches(next)) {
      const toRead: ReportedSource[] = [];
      for (const source of batch) {
        // Thousands of files may have one name.
        await turn();
        toRead.push({ source, file: reported.get(source.path) ?? findOther(source) });
      }
      const args = [toRead, raw.listsEveryLine] as const;
      // Code can be written so that a parser takes long: all are read in threads, and not one each.
      const read = await readBounded("coverageOfFiles", args, { path: batch[0]!.path, signal, isSlow: true });
      for (const file of read.files) files.push(file);
      for (const one of read.imports) imports.add(one);
    }
    next = await follow?.(imports);
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

const maxBatchLength = 4 * 1024 * 1024;
/** What goes to a thread is copied in one go. */
const maxBatchFiles = 1_000;

async function* inBatches(sources: Iterable<SourceText> | AsyncIterable<SourceText>) {
  let batch: SourceText[] = [];
  let length = 0;
  for await (const source of sources) {
    batch.push(source);
    length += source.text.length;
    if (length < maxBatchLength && batch.length < maxBatchFiles) continue;
    yield batch;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Go names files by module, of which a project may have several. A longer name with the same end is that of another file, further below. */
function findBySuffix(
  byName: ReadonlyMap<string, readonly (readonly [string, RawFile])[]>,
  { path, language }: SourceText,
): RawFile | undefined {
  if (language !== "go") return undefined;
  const same = byName.get(path.slice(path.lastIndexOf("/") + 1)) ?? [];
  return same.find(([name]) => name.endsWith(`/${path}`))?.[1];
}

function placeOf({ path, begins }: RawFile, roots: readonly string[]): string {
  if (begins === undefined || isAbsolute(path)) return innerPath(path, roots);
  const whole = join(begins, path);
  const isElsewhere = isAbsolute(whole) && !roots.some((root) => whole.startsWith(`${root}/`));
  return innerPath(isElsewhere ? path : whole, roots);
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
