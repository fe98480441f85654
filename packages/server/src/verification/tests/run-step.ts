import { isAbsolute, join } from "node:path/posix";
import { findCause } from "../../platform/cause-line.ts";
import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import { whyNotOwn } from "../scripts/own-file.ts";
import { filesWithCodeAround } from "./code-around.ts";
import type { RawCoverage } from "./code-coverage/raw-coverage.ts";
import { withFlaky, withNewFailures } from "./compare-tests.ts";
import { execute, saidBy, type Workplace, whyEnded } from "./execute.ts";
import { findCoverageMeans, findModules, whyNoCoverage, whyNotInstalled, whyNotStarted } from "./find-runner.ts";
import { locateGoTests } from "./locate-go-tests.ts";
import { locateRustTests, whyOwnHarness } from "./locate-rust-tests.ts";
import { fromFolder, isBelow } from "./packages.ts";
import type { ScriptStep } from "./parse-script.ts";
import type { ReportedCase } from "./read-junit.ts";
import { readNewReports, reportsBefore } from "./read-new-reports.ts";
import { TapListener } from "./read-tap.ts";
import { withReportFolder } from "./report-folder.ts";
import { runners } from "./runners/index.ts";
import { maxCases, type RunnerName, type TestCase, type TestRun } from "./test-case.ts";
import { isWrittenIn, type Language, languageOf, type ProjectFiles, testsOf } from "./test-files.ts";
import { toCases, withWhatEndedIt } from "./to-cases.ts";
import { layTraps, removeTraps, springTraps, type Trap, whyUntrusted } from "./traps.ts";

/** What became of a step. */
export interface Ran {
  readonly runs: readonly TestRun[];
  readonly cases: readonly TestCase[];
  readonly isCounted: boolean;
  readonly problems: readonly string[];
  readonly coverage?: RawCoverage;
  readonly noCoverage?: string;
  readonly language?: Language;
  /** Nothing after it may run. */
  readonly isStopped: boolean;
  readonly log: string;
}

type CommandStep = Extract<ScriptStep, { is: "command" }>;
type TestsStep = Extract<ScriptStep, { is: "tests" }>;

/** More failures than that are no flaky tests. */
const maxRepeatedFiles = 50;

/** Runs a command that is no runner we know: its exit code counts, and the reports that it newly writes if believed. */
export async function runCommandStep(
  place: Workplace,
  { command, startsIn, isOfPackage }: CommandStep,
  { isBelieved }: { readonly isBelieved: boolean },
): Promise<Ran> {
  const { folder, signal } = place.toTest;
  const reason = await whyNotOwn({ name: "test", command, startsIn }, folder, signal);
  const nothing = { runs: [], cases: [], isCounted: false, isStopped: true };
  if (reason !== undefined) {
    const problem = place.masker.mask(reason);
    return { ...nothing, problems: [problem], log: `$ ${place.masker.mask(command)}\n${problem}\n` };
  }
  const before = isBelieved ? await reportsBefore(folder, signal) : undefined;
  const tap = new TapListener();
  const toExecute = { command, startsIn, isOfPackage, onOutput: (text: string) => tap.hear(text) };
  const { end, run, log } = await execute(place, toExecute, []);
  const none = { cases: [], coverage: undefined, problems: [] };
  const reported = before === undefined ? none : await readNewReports(folder, before, signal);
  const cases = await toCases(place, reported.cases, undefined);
  const failed = tap.end();
  const ended = end.exitCode === 0 ? [] : [whyEnded(end, place.minutes)];
  const told =
    end.exitCode === 0 && failed !== undefined ? [`A test failed, as the output tells (TAP): ${failed}`] : [];
  const problems = await place.masker.maskAll([...ended, ...told, ...reported.problems]);
  const shown = oneLine(place.masker.mask(command), 100);
  return {
    ...{
      runs: [{ ...run, isBelieved }],
      cases,
      log,
      problems,
      isCounted: cases.length > 0,
      isStopped: problems.length > 0,
    },
    ...(reported.coverage === undefined
      ? {
          noCoverage: `'${shown}' is no runner whose coverage we can measure, and no report of it counts: ${isBelieved ? "it newly wrote none (lcov, Cobertura, Istanbul JSON, Go profile)." : whenBelieved}`,
        }
      : { coverage: reported.coverage }),
  };
}

/** Why a program's reports may not count, and what to do. */
export const whenBelieved = "Slipway believes reports of a program only where scripts.test of the document names it.";

/** Runs tests with a runner that we call ourselves; those that fail once more, to tell flaky ones. */
export async function runTestsStep(whole: Workplace, step: TestsStep): Promise<Ran> {
  const { startsIn = "." } = step;
  const place = { ...whole, files: filesBelow(whole.files, startsIn) };
  const { toTest, files } = place;
  const language = languageOf(step.runner);
  const written = files.tests.filter((path) => isWrittenIn(path, language));
  const tests = step.files ?? (await testsOf(step.runner, written, toTest));
  // The name of a runner that looks for its file in the folders above, too, is how it is called.
  const notOwn = await whyNotOwn({ name: "test", command: step.runner, startsIn }, toTest.folder, toTest.signal);
  const ownHarness = step.runner === "cargo test" ? await whyOwnHarness(place) : undefined;
  const missing = notOwn ?? ownHarness ?? (await whyNotInstalled({ ...toTest, startsIn }, step.runner));
  if (missing !== undefined) return stopped(language, missing);
  const ran = await runWithTraps(place, step, tests);
  const around = ran.isStopped ? [] : await filesWithCodeAround(place, step);
  if (around.length === 0) return { ...ran, language };
  const ofPackages = step.runner === "go test" ? around : undefined;
  const plain = await runOnce(place, step, { only: ofPackages, tests, traps: [], isMeasured: false });
  return {
    ...{ ...ran, language, isStopped: plain.isStopped, runs: [...ran.runs, ...plain.runs], log: ran.log + plain.log },
    cases: withNewFailures(ran.cases, plain.cases),
    problems: [...ran.problems, ...plain.problems, ...whyFailedAround(plain, ran.cases, step.runner)],
  };
}

function filesBelow(files: ProjectFiles, folder: string): ProjectFiles {
  if (folder === ".") return files;
  const below = (paths: readonly string[]) => paths.filter((path) => isBelow(path, folder));
  return { all: below(files.all), tests: below(files.tests), sources: below(files.sources) };
}

/** Without tests of ours, a runner whose tests have passed ends well. */
function whyFailedAround({ runs, cases, problems }: Ran, before: readonly TestCase[], runner: RunnerName) {
  const hasFailed = [...before, ...cases].some(({ outcome }) => outcome === "failed");
  const { exitCode } = runs[0]!;
  if (exitCode === 0 || hasFailed || problems.length > 0) return [];
  return [
    `${runner} ended with exit code ${exitCode}, although its tests passed: what the project runs around them failed. Its output says more.`,
  ];
}

async function runWithTraps(place: Workplace, step: TestsStep, tests: readonly string[]): Promise<Ran> {
  const { toTest, files } = place;
  const traps = await layTraps(runners[step.runner], {
    ...{ ...toTest, tests, all: files.all },
    token: place.token,
  });
  try {
    const first = await runOnce(place, step, { only: undefined, tests, traps, isMeasured: true });
    const failed = new Set(first.cases.filter(({ outcome }) => outcome === "failed").map(({ file }) => file));
    // A package that does not compile is no flaky test.
    for (const file of failed) if (file === "" || file.endsWith("/")) failed.delete(file);
    const mayRepeat = failed.size > 0 && failed.size <= maxRepeatedFiles && first.problems.length === 0;
    if (!mayRepeat) return first;
    const again = await runOnce(place, step, { only: [...failed], tests, traps, isMeasured: false });
    const cases = withFlaky(first.cases, again.problems.length > 0 ? [] : again.cases);
    return { ...first, cases, runs: [...first.runs, ...again.runs], log: first.log + again.log };
  } finally {
    await removeTraps(toTest, traps);
  }
}

function stopped(language: Language, problem: string): Ran {
  const nothing = { runs: [], cases: [], isCounted: false, isStopped: true, noCoverage: problem };
  return { ...nothing, language, problems: [problem], log: `${problem}\n` };
}

interface Once {
  readonly only: readonly string[] | undefined;
  readonly tests: readonly string[];
  readonly traps: readonly Trap[];
  readonly isMeasured: boolean;
}

async function runOnce(place: Workplace, step: TestsStep, once: Once): Promise<Ran> {
  const runner = runners[step.runner];
  const { signal } = place.toTest;
  const { only, tests, traps } = once;
  const { startsIn = "." } = step;
  const where = { ...place.toTest, startsIn };
  const seen = (paths: readonly string[]) => paths.map((path) => fromFolder(path, startsIn));
  return withReportFolder(place.sandbox.temporary, signal, async (reports) => {
    const means = once.isMeasured ? await findCoverageMeans(where, step.runner) : { missing: "a repeated run" };
    const plan = {
      reports,
      words: step.words,
      only: only && seen(only),
      files: seen(tests),
      traps: seen(traps.map(({ path }) => path)),
      coverage: means,
      modulesIn: (await findModules(where, step.runner)) ?? "",
    };
    const command = [...step.variables, runner.command(plan)].join(" ");
    const toExecute = { command, startsIn, note: noteOf(traps) };
    const { end, run, log } = await execute(place, toExecute, [reports.path], step.runner);
    const ended = end.outcome.is === "exited" ? undefined : place.masker.mask(whyEnded(end, place.minutes));
    // What we add to the project's own tests may not push one of those out.
    const roots = place.roots.map((root) => join(root, startsIn));
    const reported = await runner.readCases(reports, { maxCases: maxCases + 100, roots }).catch(refusal);
    if (ended !== undefined || reported === undefined || typeof reported === "string") {
      const told = place.masker.mask(
        `${step.runner} ended with exit code ${end.exitCode} and without a report. ${saidBy(end)}`.trim(),
      );
      const why = typeof reported === "string" ? reported : whyNotStarted(step.runner, end.exitCode, end.output);
      const problem = ended ?? why ?? told;
      const nothing = { cases: [], isCounted: false, isStopped: true, noCoverage: problem };
      return { ...nothing, runs: [run], problems: [problem], log };
    }
    const located = inProject(await locate(place, step, reported), place.files, startsIn);
    const cause = findCause(end.output, 300, place.toTest.folder);
    const all = (await toCases(place, located, step.runner)).map((one) => withWhatEndedIt(one, cause));
    const sprung = await springTraps(all, traps);
    const ours = new Set(sprung.flatMap((trap) => trap.cases));
    const cases = all.filter((one) => !ours.has(one));
    const untrusted = whyUntrusted(runner.name, all, sprung, end);
    const coverage = "by" in means ? await runner.readCoverage(reports).catch(refusal) : undefined;
    const noCoverage = "missing" in means ? means.missing : whyNoCoverage(step.runner);
    return {
      ...{ runs: [run], cases, isCounted: true, isStopped: false, log },
      problems: untrusted,
      ...(typeof coverage === "object"
        ? { coverage: coverageIn(coverage, step) }
        : { noCoverage: coverage ?? noCoverage }),
    };
  });
}

/** Else whoever reads the log of a good project takes the failures at its end for the project's. */
function noteOf(traps: readonly Trap[]): string | undefined {
  if (traps.length === 0) return undefined;
  const named = traps.slice(0, 3).map(({ token }) => `'${token} …'`);
  const more = traps.length > named.length ? ` and ${traps.length - named.length} more` : "";
  return `# Tests of Slipway's own run along and must fail, which shows that failures are told: ${named.join(", ")}${more}`;
}

/** Some runners name packages or modules, not files. */
async function locate(place: Workplace, { runner, startsIn = "." }: TestsStep, cases: readonly ReportedCase[]) {
  if (runner === "go test") return locateGoTests(place, cases, startsIn);
  return runner === "cargo test" ? locateRustTests(place, cases, startsIn) : cases;
}

/** With paths from the project's folder on, where the runner names them from where it starts. */
function inProject(cases: readonly ReportedCase[], { all }: ProjectFiles, startsIn: string): readonly ReportedCase[] {
  if (startsIn === ".") return cases;
  const known = new Set(all);
  return cases.map((one) => {
    if (one.file === "" || isAbsolute(one.file) || one.file.startsWith("file:")) return one;
    const file = join(startsIn, one.file);
    // pytest begins at the folder of its settings.
    if (known.has(one.file) && !known.has(file)) return one;
    return { ...one, file, name: one.name === one.file ? file : one.name };
  });
}

/** Go names files by its module. */
function coverageIn(coverage: RawCoverage, { runner, startsIn = "." }: TestsStep): RawCoverage {
  if (startsIn === "." || runner === "go test") return coverage;
  const pathOf = (path: string) => (isAbsolute(path) || path.startsWith("file:") ? path : join(startsIn, path));
  return { ...coverage, files: coverage.files.map((file) => ({ ...file, path: pathOf(file.path) })) };
}

/** The tests may have put anything in the place of a report. */
function refusal(error: unknown): string {
  if (error instanceof FileRefusal && error.code !== "stuck") return `The report cannot be read: ${error.message}`;
  throw error;
}
