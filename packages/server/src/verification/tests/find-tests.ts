import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { findScripts } from "../scripts/find-scripts.ts";
import { type Json, readManifest } from "../scripts/read-json.ts";
import { parseTestScript, quoteWord, type ScriptStep } from "./parse-script.ts";
import type { RunnerName } from "./test-case.ts";
import { isWrittenIn, type Language, languageOf, listFiles, type ProjectFiles, readText } from "./test-files.ts";

/** How a project's tests are run. */
export interface FoundTests {
  readonly files: ProjectFiles;
  readonly steps: readonly ScriptStep[];
  /** What was found, for people. */
  readonly found: readonly string[];
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
  const manifest = await readManifest(folder, signal).catch(() => undefined);
  const scripts = textsOf(manifest?.["scripts"]);
  const { test: told } = await findScripts(document, folder, signal);
  const script = told ?? (scripts["test"] === undefined ? undefined : "npm test");
  const steps = script === undefined ? undefined : parseTestScript(script, scripts);
  if (steps !== undefined) {
    const more = await missingLanguages(document, folder, files, steps, manifest, signal);
    return { files, steps: [...steps, ...more], found: describe(`'${script}'`, [...steps, ...more]) };
  }
  const detected = await detect(folder, files, manifest, wantedFrameworks(document), signal);
  // What package.json calls a test may be nothing at all: then the test files count, and not that script.
  const isOfPackage = script !== undefined && /^(?:npm|yarn|pnpm|bun)\s+(?:run\s+)?t(?:est)?$/.test(script);
  if (script === undefined || (isOfPackage && detected.length > 0))
    return { files, steps: detected, found: describe("test files", detected) };
  return {
    files,
    steps: [{ is: "command", command: script }],
    found: [`'${script}', which is no runner that we know`],
  };
}

function describe(where: string, steps: readonly ScriptStep[]): readonly string[] {
  return steps.map((step) => (step.is === "tests" ? `${step.runner} by ${where}` : `'${step.command}'`));
}

/** Lines of the document may ask for tests in a language that the script does not run. */
async function missingLanguages(
  document: CompleteSpec,
  folder: string,
  files: ProjectFiles,
  steps: readonly ScriptStep[],
  manifest: Json | undefined,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  const wanted = wantedFrameworks(document);
  if (wanted.length === 0) return [];
  const run = new Set(steps.flatMap((step) => (step.is === "tests" ? [languageOf(step.runner)] : [])));
  const detected = await detect(folder, files, manifest, wanted, signal);
  return detected.filter(({ runner }) => wanted.includes(runner) && !run.has(languageOf(runner)));
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

/** By the files alone: one runner a language. */
async function detect(
  folder: string,
  { all, tests }: ProjectFiles,
  manifest: Json | undefined,
  wanted: readonly RunnerName[],
  signal: AbortSignal,
): Promise<readonly Step[]> {
  const step = (runner: RunnerName, words: readonly string[] = []): Step => ({
    is: "tests",
    runner,
    words,
    variables: [],
  });
  const testsIn = (language: Language) => tests.filter((path) => isWrittenIn(path, language));
  const steps: Step[] = [];
  const javascript = testsIn("javascript");
  const runner = await javascriptRunner(folder, javascript, manifest, wanted, signal);
  if (javascript.length > 0 && runner !== undefined) steps.push(step(runner));
  const python = testsIn("python");
  if (python.length > 0) {
    const isPytest = await usesPytest(folder, all, python, wanted, signal);
    steps.push(isPytest ? step("pytest") : step("unittest", python.map(quoteWord)));
  }
  if (testsIn("go").length > 0 && all.includes("go.mod")) steps.push(step("go test"));
  if (all.includes("Cargo.toml") && (await hasRustTests(folder, all, signal))) steps.push(step("cargo test"));
  return steps;
}

async function javascriptRunner(
  folder: string,
  tests: readonly string[],
  manifest: Json | undefined,
  wanted: readonly RunnerName[],
  signal: AbortSignal,
): Promise<RunnerName | undefined> {
  const named = wanted.find((one) => one === "vitest" || one === "jest" || one === "node:test");
  if (named !== undefined) return named;
  const packages = { ...textsOf(manifest?.["dependencies"]), ...textsOf(manifest?.["devDependencies"]) };
  if (await someText(folder, tests, /['"]node:test['"]/, signal)) return "node:test";
  if ("vitest" in packages) return "vitest";
  if ("jest" in packages) return "jest";
  // Programs that check with `assert` are tests for Node. Others are for a runner that we do not know.
  return (await someText(folder, tests, /["'](?:node:)?assert\b/, signal)) ? "node:test" : undefined;
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

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
