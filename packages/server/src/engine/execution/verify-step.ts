import type { AcceptanceReport, ReportedLine, VerdictCounts } from "@slipway/contract";
import { type CompleteSpec, defaultRoles, promisedLines, restRole, unusedKeys, writtenPointer } from "@slipway/spec";
import { BlobError, type BlobStore } from "../../platform/blobs/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { WorkspaceError } from "../../platform/git/index.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import { beforeDeployment } from "../../platform/secrets/index.ts";
import {
  assembleReport,
  type CheckedResult,
  casesPath,
  checkResult,
  collectArtifacts,
  type EvidenceBytes,
  type EvidenceFile,
  type Finding,
  isEmptyResult,
  reportedPointers,
  type SecurityScans,
  type ServingTask,
  type TestCase,
  uncheckedReason,
  withVerdicts,
} from "../../verification/index.ts";
import { findConflict } from "../generation/index.ts";
import type { NewArtifact, PhaseVerdict, RunError, SecurityIssue, Verification } from "../lifecycle/index.ts";
import { openMasked } from "../logs/index.ts";
import { lendCache } from "../workspaces/index.ts";
import { type ReportSources, reportFiles } from "./acceptance-report.ts";
import { askReviewer, type Judgement, type ReviewerDeps, type ToJudge } from "./ask-reviewer.ts";
import { failureFingerprint } from "./failure-fingerprint.ts";
import type { FindSecrets } from "./find-secrets.ts";
import { type FinisherDeps, findFinisher, finishedPointers } from "./hand-on-rest.ts";
import { lackOfSpace, noSpace } from "./lack-of-space.ts";
import { maskedError } from "./masked-attempt.ts";
import { isCertain, repairOf } from "./repair-of.ts";
import type { StepInput, StepPlugins } from "./step-input.ts";
import { storeText } from "./store-artifact.ts";
import { TaskWorkspace } from "./task-workspace.ts";
import { deploymentPointers, whyRefused } from "./why-refused.ts";

export interface VerifyDeps extends ReviewerDeps, FinisherDeps {
  /** How long software is measured under load; tests shorten it. */
  readonly loadMs?: number | undefined;
  readonly db: Database;
  readonly clock: Clock;
  readonly blobs: BlobStore;
  readonly plugins: StepPlugins;
  readonly scans: SecurityScans;
  readonly reports: ReportSources;
}

/** Errors that the next attempt would end with again. */
const finalCodes = ["regeneration_conflict", "plugin_failed", "empty_result", "not_checked"];

/** Verifies the whole result, as a task of its own. */
export async function verifyStep(deps: VerifyDeps, input: StepInput): Promise<void> {
  const { attempt, context } = input;
  const { projectId, signal } = attempt;
  const { planVersion, run } = context;
  const {
    artifacts,
    checks,
    error,
    fingerprint,
    issues,
    failed = [],
  } = await verifyResult(deps, {
    ...input,
    ...{ projectId, planVersion, signal },
    tasks: run.plan.plan.tasks,
    isRepaired: context.state.unmended !== null,
    judge: (found) => askReviewer(deps, input, found),
    unmet: await findUnmet(deps, input),
  });
  const outcome = { artifacts, ...(checks && { checks }), ...(issues && { issues }) };
  if (error === undefined) {
    await attempt.finish({ is: "succeeded", ...outcome });
    return;
  }
  const mender = await whoMends(deps, input);
  const isFinal = finalCodes.includes(error.code) || (mender === undefined && isCertain(error));
  const repair =
    isFinal || error.code === noSpace || mender === undefined
      ? undefined
      : { ...repairOf(error, failed), role: mender };
  const known = { ...(fingerprint && { fingerprint }), ...(repair && { repair }) };
  await attempt.finish({ is: "failed", error, isFinal, ...outcome, ...known });
}

/** The role that mends a result. An implementer that follows rules would build the same again; undefined: nobody can. */
async function whoMends(deps: VerifyDeps, { context }: StepInput): Promise<string | undefined> {
  const agentId = context.state.roles[defaultRoles.work]?.agent;
  const isByRule = agentId === undefined || deps.findAgent(agentId)?.driver.generate !== undefined;
  if (!isByRule) return defaultRoles.work;
  return (await findFinisher(deps, context.run.rules)) === undefined ? undefined : restRole;
}

/** What neither the service nor the implementer used or built, and nobody else has finished. */
async function findUnmet(deps: VerifyDeps, input: StepInput): Promise<NonNullable<ToVerify["unmet"]>> {
  const { context, document } = input;
  const agentId = context.state.roles[defaultRoles.work]?.agent;
  const byRule = (agentId === undefined ? [] : await deps.findAgent(agentId)?.driver.findUnmet?.(document)) ?? [];
  const left = byRule.length === 0 ? [] : await withoutFinished(deps, input, byRule);
  return [...left, ...unusedKeys(document, byRule)];
}

/** What an implementer that follows rules did not use or not build, without what an agent has finished. */
async function withoutFinished(
  { reports }: VerifyDeps,
  { attempt, context, document }: StepInput,
  unmet: NonNullable<ToVerify["unmet"]>,
): Promise<NonNullable<ToVerify["unmet"]>> {
  const taskFor = finishedPointers(context.run.plan.plan);
  const before = await reports.previous(attempt.projectId);
  const unmetBefore = before && new Set(before.unmet.map(({ pointer }) => pointer));
  const wasFinished = (pointer: string) => unmetBefore?.has(pointer) === false;
  return unmet.flatMap(({ pointer, reason }) => {
    const task = taskFor.get(writtenPointer(document, pointer));
    if (task === undefined) return [{ pointer, reason }];
    // Of a line that has a verdict, that says it; and what an earlier run has finished needs no change any more.
    const isSaid = pointer.includes("/acceptance/") || wasFinished(pointer);
    if (isSaid || context.state.tasks[task]?.hasChanged === true) return [];
    return [{ pointer, reason: `${reason} The agent that was to finish it changed nothing.` }];
  });
}

interface PhaseDeps extends VerifyDeps {
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly findSecrets: FindSecrets;
}

/** Verifies what a phase with its own acceptance has made. */
export async function verifyPhase(deps: PhaseDeps, verification: Verification): Promise<PhaseVerdict> {
  const { projectId, phase, signal, load } = verification;
  const { state, planVersion, run } = await load();
  const document = await deps.findDocument(projectId);
  const found = await deps.findSecrets(projectId, document);
  if ("message" in found) return { isAccepted: false, error: { code: found.code, message: found.message } };
  const secrets = beforeDeployment(document, found.values);
  const known = Object.values(found.values);
  const origin = { projectId, taskId: `accept ${phase}`, attempt: 1, agentId: "" };
  const openLog = (source: string) => openMasked(deps.logs, { ...origin, source }, { ...document, secrets: known });
  const workspace = new TaskWorkspace(deps, verification, state.head);
  const { tasks } = run.plan.plan;
  try {
    const toVerify = { projectId, planVersion, phase, document, secrets, workspace, signal, openLog, tasks };
    const { artifacts, checks, error } = await verifyResult(deps, toVerify);
    const verdict = { artifacts, ...(checks && { checks }) };
    if (error === undefined) return { isAccepted: true, ...verdict };
    // No verdict about the phase: it is verified again, and then again.
    if (error.code === noSpace) throw new WorkspaceError(noSpace, error.message);
    return { isAccepted: false, error: await maskedError(error, known), ...verdict };
  } finally {
    await workspace.cleanUp();
  }
}

/** Why a result does not hold what a document promises, without changing the project's own report; undefined if it does. */
export async function whyNotAccepted(deps: VerifyDeps, toVerify: ToVerify): Promise<RunError | undefined> {
  return (await verifyResult(deps, toVerify)).error;
}

interface ToVerify extends Pick<StepInput, "document" | "secrets" | "openLog"> {
  readonly projectId: string;
  readonly planVersion: number;
  /** The phase that ends here; undefined: the whole result. */
  readonly phase?: string;
  readonly workspace: Pick<TaskWorkspace, "checkOut">;
  readonly signal: AbortSignal;
  /** Asks an agent about the lines that no check can answer. */
  readonly judge?: (found: ToJudge) => Promise<Judgement | undefined>;
  /** What of the document was not used or not built, as far as the builder says. */
  readonly unmet?: readonly { readonly pointer: string; readonly reason: string }[] | undefined;
  /** An agent has mended it since the last validation. */
  readonly isRepaired?: boolean;
  /** The tasks of the plan, with the lines that they serve. */
  readonly tasks: readonly ServingTask[];
}

interface VerificationResult {
  readonly artifacts: readonly NewArtifact[];
  readonly checks?: VerdictCounts;
  readonly issues?: readonly SecurityIssue[];
  /** Why the result is refused; undefined if it is accepted. */
  readonly error?: RunError;
  /** Identifies what the checks found wrong. */
  readonly fingerprint?: string;
  /** The lines that do not hold. */
  readonly failed?: readonly ReportedLine[];
}

/** Verifies the project's head in a folder of its own: conflicts, then every line; stores report, evidence and log. */
async function verifyResult(deps: VerifyDeps, toVerify: ToVerify): Promise<VerificationResult> {
  const { projectId, planVersion, phase, document, workspace } = toVerify;
  const { folder, commit } = await workspace.checkOut();
  // Before the scripts, whatever they would say: conflict markers in a file that no script reads must not go live either.
  const conflict = await findConflict(deps, { projectId, planVersion, commit, signal: toVerify.signal });
  if (conflict !== undefined) return { artifacts: [], error: conflict };
  if (phase === undefined && (await isEmptyResult(folder, toVerify.signal)))
    return { artifacts: [], error: emptyResult };
  const byChecks = await checkFolder(deps, toVerify, folder).catch(refusedFile);
  const { checked, report } = await withJudgement(toVerify, {
    checked: byChecks,
    report: await reportOn(deps, toVerify, commit, byChecks),
    commit,
  });
  const error = whyRefused(document, report, checked.error);
  const fullDisk =
    error && (await lackOfSpace(folder, `${checked.log}\n${error.message}`, "the result could not be verified"));
  if (fullDisk !== undefined) return { artifacts: [], error: fullDisk };
  const failed = report.lines.filter(({ verdict }) => verdict === "failed");
  const found = error && {
    error,
    failed,
    fingerprint: failureFingerprint({ commit, folder, log: checked.log, error }),
  };
  const log = { type: "logs", path: logPath(phase), mediaType: "text/plain; charset=utf-8", text: checked.log };
  const stored = await storeAll(deps.blobs, projectId, [
    log,
    ...checked.evidence,
    ...reportFiles(document.name, report),
  ]);
  const checks = report.counts;
  const issues = checked.findings.flatMap(asIssue);
  // Why the result is refused comes first; that its evidence could not be stored counts where nothing else is wrong.
  if ("error" in stored) return { artifacts: [], checks, issues, ...(found ?? stored) };
  const { artifacts } = stored;
  if (found !== undefined || phase !== undefined) return { artifacts, checks, issues, ...found };
  const types = deps.plugins.artifactTypes(document);
  const collected = await collectArtifacts(deps.blobs, folder, types, toVerify).catch(refusedFile);
  if ("artifacts" in collected) return { artifacts: [...artifacts, ...collected.artifacts], checks, issues };
  return { artifacts, checks, issues, ...(collected.error && { error: collected.error }) };
}

interface Verified {
  readonly checked: CheckedResult;
  readonly report: AcceptanceReport;
  readonly commit: string;
}

/** Adds what an agent says of lines that are still open. A result that its checks refuse costs no judgement. */
async function withJudgement({ judge }: ToVerify, verified: Verified): Promise<Verified> {
  const { checked, report, commit } = verified;
  const isRefused = checked.error !== undefined || report.counts.failed > 0;
  // Pictures and traces are for people: an agent gets the texts.
  const texts = checked.evidence.filter((file) => "text" in file);
  const judged = isRefused ? undefined : await judge?.({ ...checked, evidence: texts, report, commit });
  if (judged === undefined) return verified;
  const { evidence, log } = checked;
  return {
    commit,
    checked: { ...checked, evidence: [...evidence, ...judged.evidence], log: log + judged.log },
    report: withVerdicts(report, judged.verdicts),
  };
}

/** A finding as the event log tells of it; one that the document waives is no issue. */
function asIssue({ ruleId, severity, path, line, message, remedy, fingerprint, waiver }: Finding): SecurityIssue[] {
  return waiver === undefined ? [{ rule_id: ruleId, severity, path, line, message, remedy, fingerprint }] : [];
}

const emptyResult: RunError = {
  code: "empty_result",
  message: "The result has no files: there is nothing to verify or to deploy.",
};

async function checkFolder(deps: VerifyDeps, toVerify: ToVerify, folder: string): Promise<CheckedResult> {
  const { caches, minuteMs, loadMs } = deps;
  const { projectId, phase, document, secrets, signal, openLog } = toVerify;
  const toCheck = { document, folder, signal, minuteMs, loadMs, secrets, openLog };
  const before = toVerify.isRepaired === true ? await deps.reports.evidence(projectId, casesPath) : undefined;
  return lendCache(caches, projectId, document, (cache) =>
    checkResult(deps, {
      ...toCheck,
      cache,
      ...(phase !== undefined && { phase }),
      ...(before !== undefined && { testsBefore: JSON.parse(before) as readonly TestCase[] }),
    }),
  );
}

async function reportOn({ clock, reports }: VerifyDeps, toVerify: ToVerify, commit: string, checked: CheckedResult) {
  const { projectId, document, phase, tasks, unmet = [] } = toVerify;
  const lines = promisedLines(document);
  const { error } = checked;
  const whole = phase === undefined ? undefined : "It is checked at the end of the work.";
  const reason = error?.code === "build_failed" ? `The build failed: ${error.message}` : whole;
  const later = deploymentPointers.map(
    (pointer) => ({ pointer, verdict: "not_checked", reason: "The deployment itself shows it." }) as const,
  );
  return assembleReport({
    ...{ projectId, commit, lines, checkedAt: clock.now(), unmet },
    uncheckedReason: (pointer) => reason ?? uncheckedReason(pointer),
    verdicts: [...later, ...checked.verdicts],
    written: await reports.writtenLines(projectId, reportedPointers([...lines, ...unmet], tasks)),
    ...{ tasks, used: await reports.usage(projectId) },
    previous: await reports.previous(projectId),
  });
}

/** The scripts may have left anything in the place of a file that the service reads. */
function refusedFile(error: unknown): CheckedResult {
  if (error instanceof FileRefusal)
    return { verdicts: [], evidence: [], findings: [], log: "", error: error.asFailure() };
  throw error;
}

function logPath(phase: string | undefined): string {
  return `logs/${encodeURIComponent(phase ?? "validation")}.log`;
}

type ToStore = (Omit<EvidenceFile, "type"> | Omit<EvidenceBytes, "type">) & { readonly type: string };

async function storeAll(
  blobs: BlobStore,
  projectId: string,
  files: readonly ToStore[],
): Promise<{ readonly artifacts: readonly NewArtifact[] } | { readonly error: RunError }> {
  try {
    return { artifacts: await Promise.all(files.map((file) => storeText(blobs, projectId, file))) };
  } catch (error) {
    if (error instanceof BlobError) return { error: { code: error.code, message: error.message } };
    throw error;
  }
}
