import type { OutputLog } from "../../platform/log/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import { type CommandEnd, documentLimits, limitMessage, type Sandbox } from "../../platform/sandbox/index.ts";
import type { Masker } from "../../platform/secrets/index.ts";
import { whyNotOwn } from "../scripts/own-file.ts";
import { countAssertions } from "./count-assertions.ts";
import type { RawCoverage } from "./coverage/coverage.ts";
import { innerPath } from "./coverage/summarise.ts";
import { findCoverageMeans, whyNoCoverage, whyNotInstalled, whyNotStarted } from "./find-runner.ts";
import { locateGoTests } from "./locate-go-tests.ts";
import type { ScriptStep } from "./parse-script.ts";
import type { ReportedCase } from "./read-junit.ts";
import { readNewReports, reportsBefore } from "./read-new-reports.ts";
import { type ReportFolder, withReportFolder } from "./report-folder.ts";
import type { ToTest } from "./run-tests.ts";
import { runners } from "./runners/index.ts";
import { maxCases, type RunnerName, type TestCase, type TestRun } from "./test-case.ts";
import { isWrittenIn, type Language, languageOf, type ProjectFiles, readText } from "./test-files.ts";
import { layTraps, removeTraps, type Trap, whyUntrusted } from "./traps.ts";

/** What every step of a test run needs. */
export interface Workplace {
  readonly sandbox: Pick<Sandbox, "runCommand">;
  readonly toTest: ToTest;
  readonly log: OutputLog;
  readonly files: ProjectFiles;
  readonly minutes: number;
  readonly endsAtMs: number;
  readonly masker: Masker;
  /** The project's folder, as programs may name it. */
  readonly roots: readonly string[];
  /** A new name that nobody can know before. */
  readonly token: () => string;
}

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

type TestsStep = Extract<ScriptStep, { is: "tests" }>;

/** More failures than that are no flaky tests. */
const maxRepeatedFiles = 50;
const maxMessageLength = 1_000;
const maxNameLength = 300;

/** Runs a command that is no runner we know: its exit code counts, and the reports that it newly writes. */
export async function runCommandStep(place: Workplace, command: string): Promise<Ran> {
  const { folder, signal } = place.toTest;
  const reason = await whyNotOwn({ name: "test", command }, folder, signal);
  const nothing = { runs: [], cases: [], isCounted: false, isStopped: true };
  if (reason !== undefined) {
    const problem = place.masker.mask(reason);
    return { ...nothing, problems: [problem], log: `$ ${place.masker.mask(command)}\n${problem}\n` };
  }
  const before = await reportsBefore(folder, signal);
  const { end, run, log } = await execute(place, command, []);
  const reported = await readNewReports(folder, before, signal);
  const cases = await toCases(place, reported.cases, undefined);
  const problem = end.exitCode === 0 ? [] : [place.masker.mask(whyEnded(end, place.minutes))];
  return {
    ...{
      runs: [run],
      cases,
      log,
      problems: problem,
      isCounted: reported.cases.length > 0,
      isStopped: problem.length > 0,
    },
    noCoverage: `'${oneLine(place.masker.mask(command), 100)}' is no runner whose coverage we can measure.`,
  };
}

/** Runs tests with a runner that we call ourselves; those that fail once more, to tell flaky ones. */
export async function runTestsStep(
  place: Workplace,
  step: TestsStep,
  { only }: { readonly only?: readonly string[] } = {},
): Promise<Ran> {
  const { toTest, files } = place;
  const language = languageOf(step.runner);
  const tests = files.tests.filter((path) => isWrittenIn(path, language));
  const missing = await whyNotInstalled(toTest, step.runner);
  if (missing !== undefined) return stopped(language, missing);
  const traps = await layTraps(runners[step.runner], { ...toTest, tests: only ?? tests, token: place.token });
  try {
    const first = await runOnce(place, step, { only, tests, traps, isMeasured: true });
    const failed = new Set(first.cases.filter(({ outcome }) => outcome === "failed").map(({ file }) => file));
    failed.delete("");
    const mayRepeat = only === undefined && failed.size > 0 && failed.size <= maxRepeatedFiles && !first.isStopped;
    if (!mayRepeat) return { ...first, language };
    const again = await runOnce(place, step, { only: [...failed], tests, traps, isMeasured: false });
    const passed = new Set(again.problems.length > 0 ? [] : again.cases.flatMap(passedKey));
    const cases = first.cases.map(
      (one): TestCase =>
        one.outcome === "failed" && passed.has(keyOf(one)) ? { ...one, outcome: "passed", isFlaky: true } : one,
    );
    return { ...first, language, cases, runs: [...first.runs, ...again.runs], log: first.log + again.log };
  } finally {
    await removeTraps(toTest, traps);
  }
}

function stopped(language: Language, problem: string): Ran {
  const nothing = { runs: [], cases: [], isCounted: false, isStopped: true, noCoverage: problem };
  return { ...nothing, language, problems: [problem], log: `${problem}\n` };
}

function keyOf({ file, name }: TestCase): string {
  return `${file}\0${name}`;
}

function passedKey(one: TestCase): readonly string[] {
  return one.outcome === "passed" ? [keyOf(one)] : [];
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
  return withReportFolder(signal, async (reports) => {
    const means = once.isMeasured ? await findCoverageMeans(place.toTest, step.runner) : { missing: "a repeated run" };
    const plan = {
      reports,
      words: step.words,
      only,
      files: tests,
      traps: traps.map(({ path }) => path),
      coverage: means,
    };
    const command = [...step.variables, runner.command(plan)].join(" ");
    const { end, run, log } = await execute(place, command, [reports.path], step.runner);
    const ended = end.outcome.is === "exited" ? undefined : place.masker.mask(whyEnded(end, place.minutes));
    const reported = await readCases(runner.name, reports);
    if (ended !== undefined || reported === undefined) {
      const told = `${step.runner} ended with exit code ${end.exitCode} and without a report. ${lastLine(end)}`.trim();
      const problem = ended ?? whyNotStarted(step.runner, end.exitCode, end.output) ?? told;
      return {
        runs: [run],
        cases: [],
        isCounted: false,
        problems: [problem],
        isStopped: true,
        noCoverage: problem,
        log,
      };
    }
    const located = step.runner === "go test" ? await locateGoTests(place, reported) : reported;
    const all = await toCases(place, located, step.runner);
    const isTrap = ({ name, file }: TestCase) =>
      traps.some(({ token }) => name.includes(token) || file.includes(token));
    const cases = all.filter((one) => !isTrap(one));
    const untrusted = whyUntrusted(runner.name, all, traps, end);
    const coverage = "by" in means ? await runner.readCoverage(reports) : undefined;
    const noCoverage = "missing" in means ? means.missing : whyNoCoverage(step.runner);
    return {
      ...{ runs: [run], cases, isCounted: true, isStopped: false, log },
      problems: untrusted,
      ...(coverage === undefined ? { noCoverage } : { coverage }),
    };
  });
}

async function readCases(name: RunnerName, reports: ReportFolder): Promise<readonly ReportedCase[] | undefined> {
  // What we add to the project's own may not push one of those out.
  return runners[name].readCases(reports, maxCases + 100);
}

/** Names and messages for people: masked, on one line, not endless; paths from the project's folder on. */
async function toCases(
  { masker, roots, toTest }: Workplace,
  reported: readonly ReportedCase[],
  runner: RunnerName | undefined,
): Promise<readonly TestCase[]> {
  const texts = new Map<string, string | undefined>();
  const cases: TestCase[] = [];
  for (const one of reported.slice(0, maxCases + 100)) {
    const file = oneLine(innerPath(one.file, roots), maxNameLength);
    if (!texts.has(file) && file !== "") texts.set(file, await readText(toTest.folder, file, toTest.signal));
    const name = oneLine(masker.mask(one.name), maxNameLength);
    const text = texts.get(file);
    const message = one.message === "" ? "" : oneLine(masker.mask(one.message.slice(0, 8_000)), maxMessageLength);
    const assertions = text === undefined ? undefined : countAssertions(text, one.name);
    const made = { ...one, file, name, message, isFlaky: false, ...(assertions !== undefined && { assertions }) };
    const kept = runner === "node:test" ? wholeFile(made, text) : made;
    if (kept !== undefined) cases.push(kept);
  }
  return cases;
}

/** node:test reports a file that told of no test as a test of its name. That is none, unless the file checks something. */
function wholeFile(one: TestCase, text: string | undefined): TestCase | undefined {
  if (one.name !== one.file || one.outcome !== "passed") return one;
  if (text === undefined) return undefined;
  if (/\b(?:test|it|describe|suite)(?:\.\w+)?\s*\(/.test(text) && /node:test/.test(text)) {
    const message = "The file ended before its tests were over. Remove calls that end the process.";
    return { ...one, outcome: "failed", message };
  }
  return (one.assertions ?? 0) > 0 ? one : undefined;
}

async function execute(place: Workplace, command: string, writable: readonly string[], runner?: RunnerName) {
  const { sandbox, toTest, log, masker, endsAtMs } = place;
  const { document, folder, signal, cache, secrets } = toTest;
  const beganAtMs = performance.now();
  const shown = shownCommand(command, runner);
  log.write(`$ ${shown}\n`);
  const toRun = {
    ...{ command, folder, masker, onOutput: log.write },
    env: { CI: "true", ...cache?.env, ...withoutHooks(secrets) },
    writable: [...(cache === undefined ? [] : [cache.folder]), ...writable],
  };
  const limitMs = Math.max(1, endsAtMs - beganAtMs);
  const end = await sandbox.runCommand(toRun, { ...documentLimits(document), limitMs, signal });
  signal.throwIfAborted();
  const durationMs = Math.round(performance.now() - beganAtMs);
  const run: TestRun = { command: masker.mask(shown), exitCode: end.exitCode, durationMs, ...(runner && { runner }) };
  return { end, run, log: `$ ${masker.mask(shown)}\n${end.output}\n` };
}

/** Without the programs of ours that it carries. */
function shownCommand(command: string, runner: RunnerName | undefined): string {
  if (runner === undefined) return command;
  return command.replace(/ --import 'data:[^']*'/, "").replace(/ -I -c '(?:[^']|'\\'')*'/, " -m");
}

/** Variables by which a program is told to load or to be something else. */
function withoutHooks(secrets: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const hooks = /^(?:PATH|NODE_OPTIONS|NODE_PATH|LD_\w+|PYTHON\w*|PYTEST_\w+|GOFLAGS|RUSTC?_\w*WRAPPER|BASH_ENV|ENV)$/;
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !hooks.test(name)));
}

function whyEnded(end: CommandEnd, minutes: number): string {
  if (end.outcome.is === "timeout") {
    const limit = minutes === 1 ? "1 minute" : `${minutes} minutes`;
    return `scripts.test took longer than ${limit}. Raise timeouts.test_execution_minutes, or make it quicker.`;
  }
  const message = limitMessage("scripts.test", end.outcome);
  return message ?? `scripts.test ended with exit code ${end.exitCode}. ${lastLine(end)}`.trim();
}

function lastLine({ output }: CommandEnd): string {
  const lines = output.trim().split("\n");
  const telling = lines.findLast((line) => /\b\w*error\b.{0,60}:/i.test(line.slice(0, 500)));
  const last = oneLine(telling ?? lines.at(-1) ?? "", 500);
  return last === "" ? "" : `Last output: ${last}`;
}
