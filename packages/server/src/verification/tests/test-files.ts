import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { takeTurns } from "../../platform/in-turns.ts";
import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal, readProjectFile, walkProjectFiles } from "../../platform/project-files/index.ts";
import { type GlobMatches, matchGlobs, testGlobs } from "./match-globs.ts";
import type { RunnerName } from "./test-case.ts";

export type Language = "javascript" | "python" | "go" | "rust";

/** A project's files, as far as tests are concerned. */
export interface ProjectFiles {
  readonly all: readonly string[];
  /** By what a runner or the document takes for a test file. */
  readonly tests: readonly string[];
  /** What coverage counts: everything that is neither a test nor made by a tool. */
  readonly sources: readonly string[];
}

/** As many as a project may have. Where a few were enough, others would hide tests and sources that come after them. */
const maxFiles = 200_000;
const maxTestFiles = 5_000;
const maxTextBytes = 1024 * 1024;
/** A comment of a megabyte must hide no source from coverage, and no empty test. */
export const maxPaddedBytes = 16 * 1024 * 1024;

/** Not written for this project, or made from what was. */
const foreignFolders = new Set(
  "node_modules dist build out coverage htmlcov vendor target venv __pycache__ site-packages".split(" "),
);

const endings: Readonly<Record<Language, RegExp>> = {
  javascript: /\.[cm]?[jt]sx?$/,
  python: /\.py$/,
  go: /\.go$/,
  rust: /\.rs$/,
};

/** The language that a runner's tests are written in. */
export function languageOf(runner: RunnerName): Language {
  switch (runner) {
    case "node:test":
    case "vitest":
    case "jest":
      return "javascript";
    case "pytest":
    case "unittest":
      return "python";
    case "go test":
      return "go";
    case "cargo test":
      return "rust";
  }
}

export function isWrittenIn(path: string, language: Language): boolean {
  return endings[language].test(path);
}

/** Sorts a project's files into tests and sources. */
export async function listFiles(document: CompleteSpec, folder: string, signal: AbortSignal): Promise<ProjectFiles> {
  const all: string[] = [];
  const leavesOut = (name: string) => name.startsWith(".") || foreignFolders.has(name);
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, skipsOddNames: true, signal })) {
    if (kind !== "file") continue;
    if (all.length === maxFiles)
      throw new FileRefusal("too_large", ".", `has more than ${maxFiles} files, among which nobody looks for tests.`);
    all.push(path);
  }
  const matches = await matchGlobs(testGlobs(document), all, signal);
  const named = new Set([...matches.values()].flatMap((paths) => [...paths]));
  const turn = takeTurns(signal);
  const tests: string[] = [];
  const sources: string[] = [];
  for (const path of all) {
    if (isTestFile(path) || named.has(path)) tests.push(path);
    else if (isSource(path)) sources.push(path);
    await turn();
  }
  return { all, tests, sources };
}

/** Folders that belong to others in every project: what is in them is never looked at. */
const installedFolders = new Set("node_modules venv __pycache__ site-packages".split(" "));
/** So many are named. */
const maxUncounted = 10_000;

/** Code where tools keep what they made or fetched, for which no coverage counts. Asked before a build: as it was committed. */
export async function listUncounted(folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  const leavesOut = (name: string) => name.startsWith(".") || installedFolders.has(name);
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, skipsOddNames: true, signal })) {
    const isOfTool = path.split("/").some((name) => foreignFolders.has(name)) || /\.min\.[cm]?js$/.test(path);
    if (kind === "file" && isOfTool && isCode(path)) found.push(oneLine(path, 200));
    if (found.length === maxUncounted) break;
  }
  return found.sort();
}

export function isCode(path: string): boolean {
  return Object.values(endings).some((ending) => ending.test(path)) && !/\.d\.[cm]?ts$/.test(path);
}

/** Whether runners take a file for one with tests, by its name. */
function isTestFile(path: string): boolean {
  if (endings.javascript.test(path)) {
    if (/\.d\.[cm]?ts$/.test(path)) return false;
    return /(^|[./_-])(test|spec)\.[cm]?[jt]sx?$/.test(path) || /(^|\/)__tests__\//.test(path) || isBelowTests(path);
  }
  if (endings.python.test(path)) return /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(path);
  if (endings.go.test(path)) return path.endsWith("_test.go");
  return endings.rust.test(path) && /(^|\/)tests\//.test(path);
}

/** Named for nothing but tests: no helper of them is called so. */
export function isNamedLikeTest(path: string): boolean {
  return /[._-](?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)test_[^/]*\.py$|_test\.(?:py|go)$/.test(path);
}

function isBelowTests(path: string): boolean {
  return /(^|\/)test\//.test(path) && !/(^|\/)(fixtures?|helpers?|support)\//.test(path);
}

function isSource(path: string): boolean {
  if (!isCode(path) || isTestFile(path)) return false;
  if (/(^|\/)(tests?|__tests__|__mocks__|e2e)\/|^spec\//.test(path)) return false;
  if (/\.min\.[cm]?js$|(^|\/)conftest\.py$|(^|\/)setup\.py$/.test(path)) return false;
  return !/(^|\/)[\w.-]+\.config\.[cm]?[jt]s$/.test(path);
}

/** The text of a file; undefined if it cannot be read or is larger than what people write. */
export async function readText(
  folder: string,
  path: string,
  signal: AbortSignal,
  maxBytes = maxTextBytes,
): Promise<string | undefined> {
  try {
    return (await readProjectFile(folder, path, { maxBytes, signal })).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return undefined;
    throw error;
  }
}

/** The files among a language's tests that a runner of it is for, where several runners share a project. */
export async function testsOf(
  runner: RunnerName,
  tests: readonly string[],
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  if (languageOf(runner) !== "javascript") return tests;
  // Not the first ones alone: those that fail might come after them.
  if (tests.length > maxTestFiles)
    throw new FileRefusal(
      "too_large",
      ".",
      `has ${tests.length} test files, more than the ${maxTestFiles} that are run.`,
    );
  const chosen: string[] = [];
  for (const path of tests) {
    const text = (await readText(folder, path, signal, maxPaddedBytes)) ?? "";
    const named = namedRunner(text);
    const others = named !== undefined && named !== runner;
    if (!others && (runner !== "node:test" || named !== undefined || isNodesTest(path, text))) chosen.push(path);
  }
  return chosen;
}

const takesFrom =
  /(?:\bfrom|\bimport|\b(?:import|require|getBuiltinModule)\s*\()\s*["'](node:test|vitest|@jest\/globals|@playwright\/test)["']/;

/** The runner that a test file takes its functions from; undefined if it names none. A test may mention one as a text. */
export function namedRunner(text: string): RunnerName | "another" | undefined {
  const named = takesFrom.exec(text)?.[1];
  if (named === "node:test" || named === "vitest") return named;
  return named === undefined ? undefined : named === "@jest/globals" ? "jest" : "another";
}

/** Whether Node would run a file that names no runner, or it checks as programs do that are tests by themselves. */
export function isNodesTest(path: string, text: string): boolean {
  return /(?:^|[./_-])test\.[cm]?[jt]s$/.test(path) || /["'](?:node:)?assert\b/.test(text);
}

/** What kind of tests a file holds: as the document says, else by its folder or name, else unit tests. */
export function typesByFile(document: CompleteSpec, matches: GlobMatches): (path: string) => ReadonlySet<string> {
  const named = new Map<string, Set<string>>();
  for (const { check } of acceptanceLines(document)) {
    if (check.kind !== "tests" || check.file === undefined) continue;
    for (const path of matches.get(check.file) ?? []) {
      const types = named.get(path) ?? new Set();
      named.set(path, types.add(check.type));
    }
  }
  const known = new Map<string, ReadonlySet<string>>();
  return (path) => {
    const types = known.get(path) ?? new Set([...(named.get(path) ?? []), ...typesByName(path)]);
    known.set(path, types);
    return types.size > 0 ? types : unitOnly;
  };
}

const unitOnly: ReadonlySet<string> = new Set(["unit"]);

function typesByName(path: string): readonly string[] {
  const words = path.toLowerCase().split(/[/._-]/);
  return Object.entries(typeWords).flatMap(([type, known]) =>
    known.some((word) => words.includes(word)) ? [type] : [],
  );
}

const typeWords: Readonly<Record<string, readonly string[]>> = {
  unit: ["unit"],
  integration: ["integration", "int"],
  e2e: ["e2e", "endtoend"],
  security: ["security"],
  performance: ["performance", "perf", "load", "bench"],
};
