import { matchesGlob } from "node:path/posix";
import type { CompleteSpec } from "@slipway/spec";
import { acceptanceLines } from "@slipway/spec";
import { FileRefusal, readProjectFile, walkProjectFiles } from "../../platform/project-files/index.ts";
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

const maxFiles = 50_000;
const maxTextBytes = 4 * 1024 * 1024;

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
  const globs = testGlobs(document);
  const all: string[] = [];
  const leavesOut = (name: string) => name.startsWith(".") || foreignFolders.has(name);
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, skipsOddNames: true, signal })) {
    if (all.length === maxFiles) break;
    if (kind === "file") all.push(path);
  }
  const isNamed = (path: string) => globs.some((glob) => matchesGlob(path, glob));
  const tests = all.filter((path) => isTestFile(path) || isNamed(path));
  const sources = all.filter((path) => isSource(path) && !isNamed(path));
  return { all, tests, sources };
}

/** The globs of all lines that ask for tests, those of phases included. */
function testGlobs(document: CompleteSpec): readonly string[] {
  return acceptanceLines(document).flatMap(({ check }) =>
    check.kind === "tests" && check.file !== undefined ? [check.file] : [],
  );
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

function isBelowTests(path: string): boolean {
  return /(^|\/)test\//.test(path) && !/(^|\/)(fixtures?|helpers?|support)\//.test(path);
}

function isSource(path: string): boolean {
  if (!Object.values(endings).some((ending) => ending.test(path))) return false;
  if (isTestFile(path) || /(^|\/)(tests?|__tests__|__mocks__|e2e|spec)\//.test(path)) return false;
  if (/\.d\.[cm]?ts$|\.min\.[cm]?js$|(^|\/)conftest\.py$|(^|\/)setup\.py$/.test(path)) return false;
  return !/(^|\/)[\w.-]+\.config\.[cm]?[jt]s$/.test(path);
}

/** The text of a file, cut off where it is too large; undefined if it cannot be read. */
export async function readText(folder: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await readProjectFile(folder, path, { maxBytes: maxTextBytes, signal })).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return undefined;
    throw error;
  }
}

/** What kind of tests a file holds: as the document says, else by its folder or name, else unit tests. */
export function typesOf(document: CompleteSpec, path: string): readonly string[] {
  const named = acceptanceLines(document).flatMap(({ check }) =>
    check.kind === "tests" && check.file !== undefined && matchesGlob(path, check.file) ? [check.type] : [],
  );
  const words = path.toLowerCase().split(/[/._-]/);
  const told = Object.entries(typeWords).flatMap(([type, known]) =>
    known.some((word) => words.includes(word)) ? [type] : [],
  );
  const types = [...new Set<string>([...named, ...told])];
  return types.length > 0 ? types : ["unit"];
}

const typeWords: Readonly<Record<string, readonly string[]>> = {
  unit: ["unit"],
  integration: ["integration", "int"],
  e2e: ["e2e", "endtoend"],
  security: ["security"],
  performance: ["performance", "perf", "load", "bench"],
};
