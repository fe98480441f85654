import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { findScripts } from "../scripts/find-scripts.ts";
import { detectJavascript, stepOf } from "./detect-javascript.ts";
import { isBelow, type Packages, readPackages } from "./packages.ts";
import { parseTestScript, quoteWord, type ScriptStep } from "./parse-script.ts";
import type { RunnerName } from "./test-case.ts";
import {
  isNamedLikeTest,
  isWrittenIn,
  type Language,
  languageOf,
  listFiles,
  type ProjectFiles,
  readText,
} from "./test-files.ts";

/** How a project's tests are run. */
export interface FoundTests {
  readonly files: ProjectFiles;
  readonly steps: readonly ScriptStep[];
  /** What was found, for people. */
  readonly found: readonly string[];
  /** Test files of which one must have a result, since only their names say how they are run. */
  readonly expected: readonly string[];
}

/** What is looked for, in this order. */
export const lookedFor: readonly string[] = [
  "scripts.test of the document",
  "acceptance.tests[].file",
  "package.json scripts.test",
  "*.test.* and *.spec.* files and test/ folders of JavaScript and TypeScript",
  "test_*.py and *_test.py",
  "*_test.go with go.mod",
  "Cargo.toml",
];

type Step = Extract<ScriptStep, { is: "tests" }>;

/** Finds out how a project's tests are run: as the document says, else as its own files say. */
export async function findTests(document: CompleteSpec, folder: string, signal: AbortSignal): Promise<FoundTests> {
  const files = await listFiles(document, folder, signal);
  const packages = await readPackages(folder, files.all, signal);
  const { test: told } = await findScripts(document, folder, signal);
  const isNamed = packages.all.some((one) => one.folder === "." && one.scripts["test"] !== undefined);
  const script = told ?? (isNamed ? "npm test" : undefined);
  const steps = script === undefined ? undefined : parseTestScript(script, packages);
  const wanted = wantedFrameworks(document);
  const isOfPackage = script !== undefined && /^(?:npm|yarn|pnpm|bun)\s+(?:run\s+)?t(?:est)?$/.test(script);
  const place = { folder, signal, files, packages };
  if (steps !== undefined) {
    const run = new Set(steps.flatMap((step) => (step.is === "tests" ? [languageOf(step.runner)] : [])));
    // Lines of the document may ask for tests in a language that the script does not run.
    const missing = wanted.length === 0 ? [] : (await detect(place, wanted)).steps;
    const more = missing.filter(({ runner }) => wanted.includes(runner) && !run.has(languageOf(runner)));
    const others = isOfPackage ? await leftOut(place, [...steps, ...more]) : [];
    const all = [...steps, ...more, ...others];
    return { files, steps: all, found: describe(`'${script}'`, all), expected: [] };
  }
  const detected = await detect(place, wanted);
  // What package.json calls a test may be nothing at all: then the test files count, and not that script.
  if (script === undefined || (isOfPackage && detected.steps.length > 0))
    return { files, found: describe("test files", detected.steps), ...detected };
  return {
    files,
    steps: [{ is: "command", command: script }],
    found: [`'${script}', which is no runner that we know`],
    expected: [],
  };
}

function describe(where: string, steps: readonly ScriptStep[]): readonly string[] {
  return steps.map((step) => {
    const place = step.startsIn === undefined ? "" : ` in ${step.startsIn}`;
    return step.is === "tests" ? `${step.runner}${place} by ${where}` : `'${step.command}'${place}`;
  });
}

interface Place {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly files: ProjectFiles;
  readonly packages: Packages;
}

/** Tests that name a runner which no step runs where they are: a script of the project may not leave them out. */
async function leftOut({ files, packages, ...where }: Place, steps: readonly ScriptStep[]): Promise<readonly Step[]> {
  const tests = files.tests.filter((path) => isWrittenIn(path, "javascript"));
  const { groups } = await detectJavascript(where, tests, packages, undefined);
  return groups.flatMap((group) => {
    const ofRunner = steps.filter((step) => step.is === "tests" && step.runner === group.runner);
    const files = group.naming.filter((path) => !ofRunner.some(({ startsIn = "." }) => isBelow(path, startsIn)));
    return files.length === 0 ? [] : [stepOf({ ...group, files }, groups, tests)];
  });
}

function wantedFrameworks(document: CompleteSpec): readonly RunnerName[] {
  return acceptanceLines(document).flatMap(({ check }) => {
    const runner = check.kind === "tests" ? runnerNamed(check.framework) : undefined;
    return runner === undefined ? [] : [runner];
  });
}

/** The runner that a document's `framework` means; undefined if we do not know it. */
export function runnerNamed(framework: string | undefined): RunnerName | undefined {
  return framework === undefined
    ? undefined
    : names[
        framework
          .toLowerCase()
          .trim()
          .replace(/[\s_-]+/g, " ")
      ];
}

const names: Readonly<Record<string, RunnerName>> = {
  "node:test": "node:test",
  node: "node:test",
  "node test": "node:test",
  "node test runner": "node:test",
  vitest: "vitest",
  jest: "jest",
  pytest: "pytest",
  unittest: "unittest",
  go: "go test",
  "go test": "go test",
  "go testing": "go test",
  testing: "go test",
  cargo: "cargo test",
  "cargo test": "cargo test",
  rust: "cargo test",
};

/** By the files alone: each package's by its own runners, and one for each other language. */
async function detect(
  { folder, signal, files: { all, tests }, packages }: Place,
  wanted: readonly RunnerName[],
): Promise<{ readonly steps: readonly Step[]; readonly expected: readonly string[] }> {
  const step = (runner: RunnerName, words: readonly string[] = []): Step => ({
    is: "tests",
    runner,
    words,
    variables: [],
  });
  const testsIn = (language: Language) => tests.filter((path) => isWrittenIn(path, language));
  const named = wanted.find((one) => languageOf(one) === "javascript");
  const javascript = testsIn("javascript");
  const { groups, unknown } = await detectJavascript({ folder, signal }, javascript, packages, named);
  const steps = groups.map((group) => stepOf(group, groups, javascript));
  // Those that run only what their settings include may leave some out. Node runs all that it is told.
  const findingTheirs = groups.filter(({ runner }) => runner !== "node:test").flatMap(({ files }) => files);
  const python = testsIn("python");
  if (python.length > 0) {
    const isPytest = await usesPytest(folder, all, python, wanted, signal);
    steps.push(isPytest ? step("pytest") : step("unittest", python.map(quoteWord)));
  }
  if (testsIn("go").length > 0 && all.includes("go.mod")) steps.push(step("go test"));
  if (all.includes("Cargo.toml") && (await hasRustTests(folder, all, signal))) steps.push(step("cargo test"));
  return { steps, expected: [...unknown, ...findingTheirs.filter(isNamedLikeTest)] };
}

async function usesPytest(
  folder: string,
  all: readonly string[],
  tests: readonly string[],
  wanted: readonly RunnerName[],
  signal: AbortSignal,
): Promise<boolean> {
  if (wanted.includes("pytest")) return true;
  if (wanted.includes("unittest")) return false;
  if (all.some((path) => /(^|\/)(pytest\.ini|conftest\.py)$/.test(path))) return true;
  const settings = all.filter((path) => ["pyproject.toml", "setup.cfg", "tox.ini"].includes(path));
  if (await someText(folder, settings, /\[tool[.:]pytest|\[pytest\]/, signal)) return true;
  // Blanks of this line alone: those of all lines after it would take the square of an empty file's length.
  return someText(folder, tests, /^(?:async )?def test_|^[ \t]*(?:import|from) pytest\b/m, signal, true);
}

async function hasRustTests(folder: string, all: readonly string[], signal: AbortSignal): Promise<boolean> {
  return someText(
    folder,
    all.filter((path) => isWrittenIn(path, "rust")),
    /#\[(?:\w+::)?test\]/,
    signal,
    true,
  );
}

/** Whether one of them looks so. All are read: a test that fails might come after the first ones. */
async function someText(
  folder: string,
  paths: readonly string[],
  look: RegExp,
  signal: AbortSignal,
  ifUnread = false,
): Promise<boolean> {
  for (const path of paths) {
    const text = await readText(folder, path, signal);
    if (text === undefined ? ifUnread : look.test(text)) return true;
  }
  return false;
}
