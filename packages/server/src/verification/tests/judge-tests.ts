import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { count } from "../../platform/count.ts";
import { takeTurns } from "../../platform/in-turns.ts";
import { whyUnreached } from "../../platform/sandbox/index.ts";
import { sentence } from "../../platform/sentence.ts";
import type { LineVerdict, Measured, Verdict } from "../verdict.ts";
import { type Coverage, ratioOf } from "./code-coverage/raw-coverage.ts";
import { coveragePath, resultsPath } from "./evidence.ts";
import { runnerNamed } from "./find-tests.ts";
import { type GlobMatches, matchGlobs, testGlobs } from "./match-globs.ts";
import { whenBelieved } from "./run-step.ts";
import type { TestCase, TestsResult } from "./test-case.ts";
import { isNamedLikeTest, isWrittenIn, languageOf, typesByFile } from "./test-files.ts";

/** The verdicts on all lines that are about tests: guardrails, acceptance, and the acceptance of phases. */
export async function judgeTests(
  document: CompleteSpec,
  result: TestsResult,
  signal: AbortSignal,
): Promise<readonly LineVerdict[]> {
  const cases = Map.groupBy(result.cases, ({ file }) => file);
  const matches = await matchGlobs(testGlobs(document), [...new Set([...result.testFiles, ...cases.keys()])], signal);
  const tested: Tested = { result, cases, matches, typesOf: typesByFile(document, matches) };
  return [...judgeGuardrails(document, tested), ...(await judgeAcceptance(document, tested, signal))];
}

/** What became of the tests, looked up once for all lines. */
interface Tested {
  readonly result: TestsResult;
  readonly cases: ReadonlyMap<string, readonly TestCase[]>;
  readonly matches: GlobMatches;
  readonly typesOf: (file: string) => ReadonlySet<string>;
}

interface Judged {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly measured?: readonly Measured[];
}

function judgeGuardrails(document: CompleteSpec, tested: Tested): readonly LineVerdict[] {
  const { result } = tested;
  const {
    tests_required,
    test_types_required = [],
    min_test_coverage,
    security_tests,
    deployment,
  } = document.guardrails;
  const lines: LineVerdict[] = [];
  const add = (pointer: string, judged: Judged, evidence = resultsPath) =>
    lines.push({ pointer: `/guardrails/${pointer}`, ...judged, evidence: [evidence], durationMs: result.durationMs });
  // Tests that are there must pass, whether the document asks for any or not.
  const isTested = result.runs.length > 0 || result.problems.length > 0;
  if (tests_required || isTested) add("tests_required", judgeAll(result, tests_required));
  if (test_types_required.length > 0) add("test_types_required", judgeTypes(tested, test_types_required));
  if (min_test_coverage !== undefined) add("min_test_coverage", judgeCoverage(result, min_test_coverage), coveragePath);
  if (security_tests) add("security_tests", judgeSecurity(tested));
  if (deployment.tests_required) add("deployment/tests_required", judgeAll(result, true));
  return lines;
}

function judgeAll(result: TestsResult, isRequired: boolean): Judged {
  const bad = whyBad(result, result.cases);
  if (bad !== undefined) return bad;
  const passed = result.cases.filter(({ outcome }) => outcome === "passed");
  if (passed.length > 0) {
    const idle = whyIdle(passed);
    return idle !== undefined && isRequired ? failed(idle) : passedBy(result.cases);
  }
  if (!isRequired) return { verdict: "passed", reason: "No tests are required, and none failed." };
  if (result.cases.length > 0) return failed(`All ${count(result.cases.length, "test")} are skipped. Let them run.`);
  return nothingFound(result);
}

/** What is wrong with a run as a whole, or with one of these tests. */
function whyBad(result: TestsResult, cases: readonly TestCase[]): Judged | undefined {
  const [problem] = result.problems;
  if (problem !== undefined) return failed(problem);
  const failures = cases.filter(({ outcome }) => outcome === "failed");
  if (failures.length === 0) return undefined;
  const told = `${count(failures.length, "test")} of ${cases.length} failed: ${some(failures.map(describeFailure))}`;
  const isOffline = result.runs.some((run) => run.isOffline);
  const why = whyUnreached("scripts.test", { isOffline }, told);
  return failed(`${sentence(told)} ${why}`.trim());
}

function nothingFound({ runs, lookedFor }: TestsResult): Judged {
  const ran = runs.map(({ command }) => `'${command}'`).join(", ");
  if (runs.length > 0 && runs.every(({ isBelieved }) => isBelieved === true))
    return failed(`No tests were found. ${ran} ran, but wrote no report that names them. ${howToReport}`);
  const told = ran === "" ? "" : ` ${ran} ran, but told of no test by name. ${whenBelieved}`;
  return failed(`No tests were found.${told} Looked for: ${lookedFor.join("; ")}.`);
}

const howToReport =
  "Let it write JUnit XML anew in each run, into a file whose name ends with .xml (reports/junit.xml), or use a runner that Slipway knows: what it prints, such as TAP, is not counted.";

/** A test that checks nothing passes always. */
function whyIdle(passed: readonly TestCase[]): string | undefined {
  if (passed.some(({ isIdle, isUnread }) => isIdle !== true && isUnread !== true)) return undefined;
  const files = [...new Set(passed.map(({ file }) => file))];
  return `No assertions: ${count(passed.length, "test")} in ${some(files)} passed without checking anything.`;
}

function passedBy(cases: readonly TestCase[]): Judged {
  const of = (outcome: TestCase["outcome"]) => cases.filter((one) => one.outcome === outcome);
  const flaky = cases.filter(({ isFlaky }) => isFlaky);
  const idle = of("passed").filter(({ isIdle }) => isIdle === true);
  const parts = [`${count(of("passed").length, "test")} passed`];
  if (of("skipped").length > 0) parts.push(`${of("skipped").length} skipped`);
  if (flaky.length > 0) parts.push(`${flaky.length} flaky (failed, then passed): ${some(flaky.map(nameOf))}`);
  if (idle.length > 0) parts.push(`${idle.length} without assertions: ${some(idle.map(nameOf))}`);
  return { verdict: "passed", reason: `${parts.join(", ")}.` };
}

function judgeTypes({ result, typesOf }: Tested, types: readonly string[]): Judged {
  const bad = whyBad(result, []);
  if (bad !== undefined) return bad;
  if (!result.isCounted) return uncounted(result);
  const passing = (type: string) =>
    result.cases.filter(({ file, outcome }) => outcome === "passed" && typesOf(file).has(type));
  const counts = types.map((type) => ({ type, passed: passing(type).length }));
  const missing = counts.filter(({ passed }) => passed === 0).map(({ type }) => type);
  if (missing.length > 0)
    return failed(
      `No passing test of type ${missing.join(", ")}. Put such tests into a folder of that name (test/${missing[0]}/), or name their files in acceptance.tests.`,
    );
  const parts = counts.map(({ type, passed }) => `${type}: ${passed}`);
  return { verdict: "passed", reason: `Passing tests by type: ${parts.join(", ")}.` };
}

/** What a line that needs the number of tests gets where only an exit code is known. */
function uncounted(result: TestsResult): Judged {
  if (result.runs.length === 0) return nothingFound(result);
  const reason = `Unknown: '${result.runs.at(-1)!.command}' tells of no test by name. Let it write JUnit XML, or use a runner that Slipway knows.`;
  return { verdict: "not_checked", reason };
}

function judgeCoverage(result: TestsResult, wanted: number): Judged {
  const { coverage } = result;
  const bad = whyBad(result, []);
  if (bad !== undefined) return bad;
  if (result.coverageProblem !== undefined) return failed(result.coverageProblem);
  if (result.isCounted && !result.cases.some(({ outcome }) => outcome === "passed"))
    return failed("No test passed, so nothing is covered.");
  if (result.runs.length === 0) return nothingFound(result);
  if (coverage === undefined)
    return { verdict: "not_checked", reason: result.noCoverage ?? "Coverage was not measured." };
  const { lines, functions, ratio, hiddenLines, files } = coverage;
  const unloaded = files.filter(({ isLoaded }) => !isLoaded).map(({ path }) => path);
  const parts = [
    `${percent(ratio)} covered (lines ${percent(ratioOf(lines))}, functions ${percent(ratioOf(functions))}, the smaller counts)`,
    `${percent(wanted)} asked for`,
  ];
  if (unloaded.length > 0) parts.push(`no test loads ${some(unloaded)}`);
  if (hiddenLines > 0) parts.push(`${count(hiddenLines, "line")} under ignore comments count as not covered`);
  if (result.uncounted.length > 0) parts.push(`not counted: ${some(result.uncounted)}`);
  const reason = `${parts.join("; ")}.`;
  const measured = [{ name: "coverage", value: ratio, unit: "share" }] as const;
  if (ratio >= wanted) return { verdict: "passed", reason, measured };
  return { ...failed(`${reason} ${leastCovered(coverage)}`.trim()), measured };
}

function leastCovered({ files }: Coverage): string {
  const missing = ({ lines }: Coverage["files"][number]) => lines.total - lines.covered;
  const worst = files.filter((file) => missing(file) > 0).sort((a, b) => missing(b) - missing(a));
  if (worst.length === 0) return "";
  return `Most is missing in ${some(worst.map((file) => `${file.path} (${missing(file)} lines)`))}.`;
}

const securityWords =
  /security|auth|permission|forbidden|injection|xss|csrf|traversal|saniti[sz]|password|without a token|\b40[13]\b/i;

function judgeSecurity({ result, typesOf }: Tested): Judged {
  const bad = whyBad(result, []);
  if (bad !== undefined) return bad;
  if (!result.isCounted) return uncounted(result);
  const found = result.cases.filter(
    ({ file, name, outcome }) => outcome === "passed" && (typesOf(file).has("security") || securityWords.test(name)),
  );
  if (found.length > 0)
    return {
      verdict: "passed",
      reason: `${count(found.length, "test")} of security passed: ${some(found.map(nameOf))}.`,
    };
  return failed(
    "No passing test is about security. Put such tests into a folder 'security', or say so in their names.",
  );
}

/** There may be thousands of lines, and of tests for each: the service goes on meanwhile. */
async function judgeAcceptance(
  document: CompleteSpec,
  tested: Tested,
  signal: AbortSignal,
): Promise<readonly LineVerdict[]> {
  const turn = takeTurns(signal);
  const verdicts: LineVerdict[] = [];
  for (const { pointer, check } of acceptanceLines(document)) {
    if (check.kind !== "tests") continue;
    const evidence = [resultsPath, ...(check.coverageThreshold === undefined ? [] : [coveragePath])];
    verdicts.push({ pointer, ...judgeSuite(tested, check), evidence });
    await turn();
  }
  return verdicts;
}

type TestsCheck = Extract<ReturnType<typeof acceptanceLines>[number]["check"], { kind: "tests" }>;

function judgeSuite({ result, cases: byFile, matches, typesOf }: Tested, check: TestsCheck): Judged {
  const { file: glob, type, framework, coverageThreshold } = check;
  const named = glob === undefined ? undefined : (matches.get(glob) ?? new Set<string>());
  const matching = named === undefined ? [] : result.testFiles.filter((path) => named.has(path));
  if (named !== undefined && matching.length === 0) return failed(`No file matches '${glob}'.`);
  const bad = whyBad(result, []);
  if (bad !== undefined) return bad;
  if (!result.isCounted) return uncounted(result);
  const isOf = (file: string) => (named === undefined ? typesOf(file).has(type) : named.has(file));
  const cases = [...byFile].flatMap(([file, of]) => (isOf(file) ? of : []));
  const failing = whyBad(result, cases);
  if (failing !== undefined) return failing;
  const passed = cases.filter(({ outcome }) => outcome === "passed");
  const what = glob === undefined ? `of type ${type}` : `in files that match '${glob}'`;
  if (passed.length === 0)
    return failed(cases.length === 0 ? `No test ${what} ran.` : `All tests ${what} are skipped. Let them run.`);
  const reason = whyIdle(passed) ?? whyUnrun(matching, cases) ?? whyOtherFramework(result, cases, framework);
  if (reason !== undefined) return failed(reason);
  if (coverageThreshold === undefined) return passedBy(cases);
  const covered = judgeCoverage(result, coverageThreshold);
  return { ...covered, reason: `${passedBy(cases).reason} All tests together: ${covered.reason}` };
}

/** Leaving a test file out of the run is no way to let it pass. */
function whyUnrun(matching: readonly string[], cases: readonly TestCase[]): string | undefined {
  const ran = new Set(cases.map(({ file }) => file));
  const unrun = matching.filter((path) => isNamedLikeTest(path) && !ran.has(path));
  return unrun.length === 0 ? undefined : `No test of ${some(unrun)} ran. Let scripts.test run all test files.`;
}

function whyOtherFramework(result: TestsResult, cases: readonly TestCase[], framework: string | undefined) {
  if (framework === undefined) return undefined;
  const wanted = runnerNamed(framework);
  const ran = [...new Set(result.runs.flatMap(({ runner }) => (runner === undefined ? [] : [runner])))];
  const fits = (runner: (typeof ran)[number]) => cases.some(({ file }) => isWrittenIn(file, languageOf(runner)));
  const theirs = ran.filter(fits);
  if (wanted !== undefined && theirs.includes(wanted)) return undefined;
  return `These tests must run with ${framework}, but ran with ${theirs.join(", ") || "something else"}.`;
}

function failed(reason: string): Judged {
  return { verdict: "failed", reason };
}

function describeFailure(one: TestCase): string {
  return one.message === "" ? nameOf(one) : `${nameOf(one)}: ${one.message.slice(0, 200)}`;
}

function nameOf({ file, name }: TestCase): string {
  return file === "" || file === name ? `'${name}'` : `'${name}' (${file})`;
}

const maxNamed = 5;

function some(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return `${names.slice(0, maxNamed).join(", ")}${more}`;
}

/** Rounded down: 84.99 % is not 85 %. */
function percent(ratio: number): string {
  return `${Math.floor(ratio * 1_000) / 10} %`;
}
