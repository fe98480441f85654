import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { ScriptToRun } from "../scripts/run-scripts.ts";
import { withMaskedPaths } from "./code-coverage/mask-paths.ts";
import { summariseCoverage } from "./code-coverage/measure-coverage.ts";
import { type Coverage, mergeRaw, type RawCoverage, whyTooMuch } from "./code-coverage/raw-coverage.ts";
import type { SourceText } from "./code-coverage/source-lines.ts";
import type { Workplace } from "./execute.ts";
import { type FoundTests, findTests, lookedFor } from "./find-tests.ts";
import { goModule } from "./go-module.ts";
import { ImportedFiles } from "./imported-files.ts";
import type { ScriptStep } from "./parse-script.ts";
import { realPathOf } from "./report-folder.ts";
import { type Ran, runCommandStep, runTestsStep } from "./run-step.ts";
import type { TestsResult } from "./test-case.ts";
import { isWrittenIn, type Language, maxPaddedBytes, readText } from "./test-files.ts";

/** As the names of cases are shown. */
const maxNameLength = 300;

/** Runs a project's tests ourselves, and counts them: what its own scripts and files say of results is not believed. */
export async function runTests(
  sandbox: Pick<Sandbox, "runCommand" | "temporary">,
  toTest: ScriptToRun,
): Promise<Omit<TestsResult, "uncounted">> {
  const { document, folder, signal, minuteMs, secrets, openLog } = toTest;
  const beganAtMs = performance.now();
  const tests = await findTests(document, folder, signal);
  const log = openLog("test");
  const minutes = document.timeouts.test_execution_minutes;
  const place: Workplace = {
    ...{ sandbox, toTest, log, minutes, files: tests.files },
    endsAtMs: beganAtMs + minutes * minuteMs,
    masker: new Masker(Object.values(secrets)),
    roots: [...new Set([await realPathOf(folder), folder])],
    token: () => `t${crypto.randomUUID().replaceAll("-", "").slice(0, 10)}`,
  };
  try {
    const ran = await runSteps(place, tests);
    const coverage = await coverageOf(place, ran);
    return {
      runs: ran.flatMap(({ runs }) => runs),
      cases: ran.flatMap(({ cases }) => cases),
      isCounted: ran.some(({ isCounted }) => isCounted),
      problems: withUnrun(place, tests, ran),
      testFiles: tests.files.tests,
      found: tests.found,
      lookedFor,
      ...coverage,
      durationMs: Math.round(performance.now() - beganAtMs),
      log: ran.map((one) => one.log).join(""),
    };
  } finally {
    log.end();
  }
}

/** What no runner runs is not green: a script must name the runner. */
function withUnrun({ masker }: Workplace, { expected }: FoundTests, ran: readonly Ran[]): readonly string[] {
  const problems = ran.flatMap((one) => one.problems);
  if (problems.length > 0 || expected.length === 0) return problems;
  const files = new Set(ran.flatMap(({ cases }) => cases.map(({ file }) => file)));
  const isRun = (path: string) => files.has(path) || endsOf(path).some((end) => files.has(end));
  const unrun = expected.map((path) => masker.mask(oneLine(path, maxNameLength))).filter((path) => !isRun(path));
  if (unrun.length === 0) return [];
  const shown = unrun.slice(0, 5).join(", ") + (unrun.length > 5 ? ` and ${unrun.length - 5} more` : "");
  return [`No runner ran ${shown}. Name their runner in scripts.test of the document, or remove them.`];
}

/** Vitest begins at its own root, which may be a folder of the project. */
function endsOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(at).join("/"));
}

/** In order; after a command that fails, nothing else runs, as in a shell. */
async function runSteps(place: Workplace, { steps }: FoundTests): Promise<readonly Ran[]> {
  const ran: Ran[] = [];
  for (const step of steps) {
    const one = step.is === "tests" ? await runTestsStep(place, step) : await runOther(place, step);
    ran.push(one);
    if (one.isStopped) break;
  }
  return ran;
}

/** Whoever writes the project chooses its scripts; the document names a program whose reports people believe. */
function runOther(place: Workplace, step: Extract<ScriptStep, { is: "command" }>): Promise<Ran> {
  const { command } = step;
  const told = place.toTest.document.scripts?.test ?? "";
  const named = [told, ...told.split("&&")].map((part) => part.trim());
  const isNamed = named.includes(command.trim()) && !/^(?:npm|npx|yarn|pnpm|bun)\b/.test(command);
  return runCommandStep(place, step, { isBelieved: isNamed });
}

async function coverageOf(
  place: Workplace,
  ran: readonly Ran[],
): Promise<{ readonly coverage?: Coverage; readonly noCoverage?: string }> {
  // What comes before the tests, such as a build, covers nothing and need not.
  const tested = ran.some(({ language }) => language !== undefined) ? ran.filter(({ language }) => language) : ran;
  const covered = tested.flatMap(({ coverage }) => (coverage === undefined ? [] : [coverage]));
  const missing = tested.flatMap(({ noCoverage }) => (noCoverage === undefined ? [] : [noCoverage]));
  if (covered.length === 0 || missing.length > 0)
    return { noCoverage: missing[0] ?? "No tests ran whose coverage could be measured." };
  const coverage = await summarise(place, covered, languagesOf(ran));
  return typeof coverage === "string" ? { noCoverage: coverage } : { coverage };
}

/** Of what ran; a command that we do not know may have tested any. */
function languagesOf(ran: readonly Ran[]): readonly Language[] {
  const known = ran.flatMap(({ language }) => (language === undefined ? [] : [language]));
  return known.length > 0 ? [...new Set(known)] : ["javascript", "python", "go", "rust"];
}

/** What all runs cover together, or why that cannot be told. */
async function summarise(
  place: Workplace,
  covered: readonly RawCoverage[],
  languages: readonly Language[],
): Promise<Coverage | string> {
  const { roots, masker, toTest } = place;
  const reason = whyTooMuch(covered);
  if (reason !== undefined) return `The coverage of all runs together ${reason}.`;
  try {
    const imported = new ImportedFiles(place.files);
    const follow = async (imports: Iterable<string>) => {
      const paths = await imported.take(imports);
      return paths.length === 0 ? undefined : sourcesOf(toTest, paths, languages);
    };
    const sources = sourcesOf(toTest, place.files.sources, languages);
    const module = languages.includes("go") ? await goModule(toTest.folder, toTest.signal) : undefined;
    const options = { roots, goModule: module, signal: toTest.signal, follow };
    const coverage = await summariseCoverage(mergeRaw(covered)!, sources, options);
    return { ...coverage, files: await withMaskedPaths(coverage.files, masker, toTest.signal) };
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck")
      return masker.mask(`A source file cannot be read: ${error.message}`);
    throw error;
  }
}

/** One after the other: all texts together may be larger than the memory. */
async function* sourcesOf(
  { folder, signal }: ScriptToRun,
  paths: readonly string[],
  languages: readonly Language[],
): AsyncGenerator<SourceText> {
  for (const path of paths) {
    const language = languages.find((one) => isWrittenIn(path, one));
    if (language === undefined) continue;
    const text = await readText(folder, path, signal, maxPaddedBytes);
    // Left out, it would not count as a source that no test covers.
    if (text === undefined) throw new FileRefusal("too_large", path, "cannot be read, or is too large.");
    yield { path, text, language };
  }
}
