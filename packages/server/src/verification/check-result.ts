import { type AcceptanceLine, acceptanceLines, type CompleteSpec } from "@slipway/spec";
import type { Failure } from "../platform/errors/index.ts";
import type { Plugins } from "../platform/plugins/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import { Masker } from "../platform/secrets/index.ts";
import { timeLimit } from "../platform/time-limit.ts";
import { judgeUnreadFlows } from "./browser/index.ts";
import { checkByPlugins } from "./check-by-plugins.ts";
import { maskReasons } from "./mask-reasons.ts";
import { checkCommands } from "./probes/check-commands.ts";
import { checkFiles, checkPackage } from "./probes/check-files.ts";
import { checkScores, forgetScores, isAboutScores } from "./probes/check-scores.ts";
import { checkSoftware } from "./probes/check-software.ts";
import { type Finding, judgeScan, type SecurityScans } from "./scans/index.ts";
import { checkOverrides } from "./scripts/dependency-overrides.ts";
import { findScripts } from "./scripts/find-scripts.ts";
import { runScript, type ScriptToRun } from "./scripts/run-scripts.ts";
import {
  compareTests,
  declaredNow,
  evidenceOf,
  judgeTests,
  readBuilt,
  readCommitted,
  runUnchangedTests,
  type TestCase,
} from "./tests/index.ts";
import { checkTypes } from "./types/check-types.ts";
import { outOfTime, verificationMinutes } from "./unreached-lines.ts";
import type { EvidenceBytes, EvidenceFile, LineVerdict } from "./verdict.ts";

interface CheckDeps {
  readonly sandbox: Pick<Sandbox, "runCommand" | "startCommand" | "startProcess" | "found" | "temporary">;
  readonly plugins: Pick<Plugins, "check">;
  readonly scans: Pick<SecurityScans, "scan">;
}

interface ResultToCheck extends ScriptToRun {
  /** The phase that ends here; undefined: the whole result. */
  readonly phase?: string;
  /** The tests as they were before an agent mended the result: it may not take any away. */
  readonly testsBefore?: readonly TestCase[];
}

/** What the checks found. */
export interface CheckedResult {
  readonly verdicts: readonly LineVerdict[];
  readonly evidence: readonly (EvidenceFile | EvidenceBytes)[];
  /** What scripts and checks wrote. */
  readonly log: string;
  readonly findings: readonly Finding[];
  /** Why the result is refused, whatever its lines say. */
  readonly error?: Failure;
}

/** Checks a result against every line of its document, within the time that the document gives it. */
export async function checkResult(deps: CheckDeps, toCheck: ResultToCheck): Promise<CheckedResult> {
  const { document, signal, minuteMs, phase } = toCheck;
  const limit = timeLimit(verificationMinutes(document) * minuteMs);
  const found: Found = { verdicts: [], evidence: [], log: "", findings: [] };
  try {
    const error = await checkAll(deps, { ...toCheck, signal: AbortSignal.any([signal, limit]) }, found);
    return await masked({ ...found, ...(error && { error }) }, toCheck);
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error;
    const asked =
      phase === undefined ? undefined : new Set(linesToCheck(document, phase).map(({ pointer }) => pointer));
    return masked({ ...found, ...outOfTime(document, { verdicts: found.verdicts, asked }) }, toCheck);
  }
}

/** Programs have the document's secrets, and checks quote the names that they put into their files. */
async function masked(result: CheckedResult, { secrets }: Pick<ResultToCheck, "secrets">): Promise<CheckedResult> {
  const masker = new Masker(Object.values(secrets));
  const verdicts = await maskReasons(result.verdicts, masker);
  const { error } = result;
  return {
    ...{ ...result, verdicts, log: await masker.maskInSlices(result.log) },
    ...(error && { error: { ...error, message: await masker.maskInSlices(error.message) } }),
  };
}

/** What is known so far. */
interface Found {
  readonly verdicts: LineVerdict[];
  readonly evidence: (EvidenceFile | EvidenceBytes)[];
  log: string;
  findings: readonly Finding[];
}

/**
 * Makes every check; gives why the result is refused, whatever its lines say. What the agents wrote as tests runs last:
 * nothing that it does can change what the other checks find.
 */
async function checkAll(
  { sandbox, plugins, scans }: CheckDeps,
  toCheck: ResultToCheck,
  found: Found,
): Promise<Failure | undefined> {
  const { document, folder, signal, phase } = toCheck;
  const { verdicts, evidence } = found;
  const scripts = await findScripts(document, folder, signal);
  const lines = linesToCheck(document, phase);

  // Before anything of the project runs: afterwards the files may no longer be those that were committed.
  if (phase === undefined) {
    const scan = await scans.scan(toCheck);
    verdicts.push(...judgeScan(document, scan));
    evidence.push(...scan.evidence);
    found.log += scan.log;
    found.findings = scan.findings;
  }

  const committed = await readCommitted(document, folder, signal);
  const asked = document.dependency_overrides ?? {};
  const overrides = await checkOverrides(folder, asked, signal);
  await forgetScores(toCheck, lines);
  if (scripts.build !== undefined) {
    const built = await runScript(sandbox, toCheck, { name: "build", command: scripts.build });
    found.log += built.log;
    if (built.error !== undefined) return built.error;
  }
  // As it is deployed: the other programs that run here would have their say about what is looked at later.
  const overridesOfBuild = await checkOverrides(folder, asked, signal);
  const sources = await readBuilt(document, folder, signal);
  verdicts.push(...(await checkPackage(toCheck, lines)));
  const types = phase === undefined ? await checkTypes(sandbox, toCheck) : { verdicts: [], log: "" };
  verdicts.push(...types.verdicts);
  found.log += types.log;
  const ofSoftware = lines.filter((line) => !isAboutScores(document, line));
  const software = await checkSoftware(sandbox, { ...toCheck, scripts, lines: ofSoftware });
  verdicts.push(...software.verdicts, ...judgeUnreadFlows(lines));
  evidence.push(...software.evidence);
  found.log += software.log;
  verdicts.push(...(await checkCommands(sandbox, toCheck, lines)));
  verdicts.push(...(await checkFiles(toCheck, lines)));
  verdicts.push(...(await checkScores(toCheck, lines)));
  const byPlugins = await checkByPlugins(plugins, { document, folder, signal, ...(phase !== undefined && { phase }) });
  verdicts.push(...byPlugins.verdicts);
  const tested = await runUnchangedTests(sandbox, toCheck, committed, sources);
  const testVerdicts = await judgeTests(document, tested, signal);
  verdicts.push(...testVerdicts);
  const { testsBefore = [] } = toCheck;
  const declared = await declaredNow(toCheck, testsBefore);
  evidence.push(...(await evidenceOf(tested, testsBefore, declared)));
  found.log += tested.log + byPlugins.log;
  const weakened = weakenedTests(compareTests(testsBefore, tested.cases, declared));
  return weakened ?? failedTests(testVerdicts) ?? overrides ?? overridesOfBuild ?? byPlugins.error;
}

/** A repair that takes tests away, or lets them check less, has mended nothing. */
function weakenedTests({ deleted, skipped, emptied, weakened }: ReturnType<typeof compareTests>): Failure | undefined {
  const parts = [
    ["deleted", deleted],
    ["skipped", skipped],
    ["without assertions now", emptied],
    ["checking less", weakened],
  ] as const;
  const told = parts.filter(([, names]) => names.length > 0).map(([how, names]) => `${how}: ${some(names)}`);
  if (told.length === 0) return undefined;
  const message = `The repair took tests or assertions away. ${told.join("; ")}. Bring them back, and mend the software instead.`;
  return { code: "tests_weakened", message };
}

const maxNamed = 5;

function some(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return names.slice(0, maxNamed).join(", ") + more;
}

/** Tests that are there must pass, whether the document asks for any or not. */
function failedTests(verdicts: readonly LineVerdict[]): Failure | undefined {
  const all = verdicts.find(({ pointer }) => pointer === "/guardrails/tests_required");
  return all?.verdict === "failed" ? { code: "test_failed", message: all.reason } : undefined;
}

/** At the end of a phase its own lines; at the end of the work all of them, for what held once may not hold any more. */
function linesToCheck(document: CompleteSpec, phase: string | undefined): readonly AcceptanceLine[] {
  const lines = acceptanceLines(document);
  return phase === undefined ? lines : lines.filter((line) => line.phase === phase);
}
