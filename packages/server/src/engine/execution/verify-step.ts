import type { CompleteSpec } from "@slipway/spec";
import { BlobError, type BlobStore } from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { Plugins } from "../../platform/plugins/index.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import type { FoundSecrets } from "../../platform/secrets/index.ts";
import { checkByPlugins, collectArtifacts, isEmptyResult, runScripts } from "../../verification/index.ts";
import { findConflict } from "../generation/index.ts";
import type { NewArtifact, PhaseVerdict, RunError, Verification } from "../lifecycle/index.ts";
import { openMasked, type ProjectLogs } from "../logs/index.ts";
import type { PackageCaches, Workspaces } from "../workspaces/index.ts";
import { failureFingerprint } from "./failure-fingerprint.ts";
import { maskedError } from "./masked-attempt.ts";
import type { StepInput } from "./step-input.ts";
import { storeText } from "./store-text.ts";
import { TaskWorkspace } from "./task-workspace.ts";

export interface VerifyDeps {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly sandbox: Sandbox;
  readonly caches: PackageCaches;
  readonly plugins: Pick<Plugins, "check" | "artifactTypes">;
  readonly minuteMs: number;
}

/** Errors that the next attempt would end with again. */
const finalCodes = ["regeneration_conflict", "plugin_failed", "empty_result"];

/** Verifies the whole result, as a task of its own. */
export async function verifyStep(deps: VerifyDeps, input: StepInput): Promise<void> {
  const { attempt, context } = input;
  const { projectId, signal } = attempt;
  const { artifacts, error, fingerprint } = await verifyResult(deps, {
    ...input,
    projectId,
    planVersion: context.planVersion,
    signal,
  });
  if (error === undefined) {
    await attempt.finish({ is: "succeeded", artifacts });
    return;
  }
  const isFinal = finalCodes.includes(error.code);
  await attempt.finish({ is: "failed", error, artifacts, isFinal, ...(fingerprint && { fingerprint }) });
}

interface PhaseDeps extends VerifyDeps {
  readonly workspaces: Workspaces;
  readonly logs: ProjectLogs;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly findSecrets: (document: CompleteSpec) => Promise<FoundSecrets>;
}

/** Verifies what a phase with its own acceptance has made. */
export async function verifyPhase(deps: PhaseDeps, verification: Verification): Promise<PhaseVerdict> {
  const { projectId, phase, signal, load } = verification;
  const { state, planVersion } = await load();
  const document = await deps.findDocument(projectId);
  const found = await deps.findSecrets(document);
  if ("message" in found) return { isAccepted: false, error: found };
  const secrets = found.values;
  const origin = { projectId, taskId: `accept ${phase}`, attempt: 1, agentId: "" };
  const openLog = (source: string) =>
    openMasked(deps.logs, { ...origin, source }, { ...document, secrets: Object.values(secrets) });
  const workspace = new TaskWorkspace(deps, verification, state.head);
  try {
    const toVerify = { projectId, planVersion, phase, document, secrets, workspace, signal, openLog };
    const { artifacts, error } = await verifyResult(deps, toVerify);
    if (error === undefined) return { isAccepted: true, artifacts };
    return { isAccepted: false, error: await maskedError(error, Object.values(secrets)), artifacts };
  } finally {
    await workspace.cleanUp();
  }
}

interface ToVerify extends Pick<StepInput, "document" | "secrets" | "openLog"> {
  readonly projectId: string;
  readonly planVersion: number;
  /** The phase that ends here; undefined: the whole result. */
  readonly phase?: string;
  readonly workspace: Pick<TaskWorkspace, "checkOut">;
  readonly signal: AbortSignal;
}

interface VerificationResult {
  readonly artifacts: readonly NewArtifact[];
  /** What the scripts and checks wrote. */
  readonly log: string;
  /** Why the result is refused; undefined if it is accepted. */
  readonly error?: RunError;
  /** Identifies what the scripts and checks found wrong. */
  readonly fingerprint?: string;
}

/** Verifies the project's head in a folder of its own: conflicts, scripts, the plugins' checks; stores the log. */
async function verifyResult(deps: VerifyDeps, toVerify: ToVerify): Promise<VerificationResult> {
  const { projectId, planVersion, phase, document, workspace } = toVerify;
  // Before the scripts, whatever they would say: conflict markers in a file that no script reads must not go live either.
  const conflict = await findConflict(deps, projectId, planVersion);
  if (conflict !== undefined) return { artifacts: [], log: "", error: conflict };
  const { folder, commit } = await workspace.checkOut();
  if (phase === undefined && (await isEmptyResult(folder, toVerify.signal)))
    return { artifacts: [], log: "", error: emptyResult };
  const { log, error } = await runChecks(deps, toVerify, folder).catch(refusedFile);
  const found = error && { error, fingerprint: failureFingerprint({ commit, folder, log, error }) };
  const stored = await storeLog(deps.blobs, projectId, phase ?? "validation", log);
  // Why the result is refused comes first; that its log could not be stored counts where nothing else is wrong.
  if ("error" in stored) return { artifacts: [], log, ...(found ?? stored) };
  const artifacts = [stored.artifact];
  if (found !== undefined) return { artifacts, log, ...found };
  if (phase !== undefined) return { artifacts, log };
  const types = deps.plugins.artifactTypes(document);
  const collected = await collectArtifacts(deps.blobs, folder, types, toVerify).catch(refusedFile);
  if ("error" in collected) return { artifacts, log, error: collected.error };
  return { artifacts: [...artifacts, ...collected.artifacts], log };
}

const emptyResult: RunError = {
  code: "empty_result",
  message: "The result has no files: there is nothing to verify or to deploy.",
};

/** Runs the scripts and, where they succeed, the plugins' checks. */
async function runChecks(
  { sandbox, caches, plugins, minuteMs }: VerifyDeps,
  { projectId, phase, document, secrets, signal, openLog }: ToVerify,
  folder: string,
): Promise<{ readonly log: string; readonly error?: RunError }> {
  const cache = document.performance.cache_dependencies ? await caches.open(projectId) : undefined;
  const scripts = await runScripts(sandbox, { document, folder, signal, minuteMs, cache, secrets, openLog });
  if (scripts.error !== undefined) return scripts;
  const checks = await checkByPlugins(plugins, { document, folder, signal, ...(phase !== undefined && { phase }) });
  return { ...checks, log: scripts.log + checks.log };
}

/** The scripts may have left anything in the place of a file that the service reads. */
function refusedFile(error: unknown): { readonly log: string; readonly error: RunError } {
  if (error instanceof FileRefusal) return { log: "", error: error.asFailure() };
  throw error;
}

async function storeLog(
  blobs: BlobStore,
  projectId: string,
  name: string,
  text: string,
): Promise<{ readonly artifact: NewArtifact } | { readonly error: RunError }> {
  const path = `logs/${encodeURIComponent(name)}.log`;
  try {
    const artifact = { type: "logs", path, mediaType: "text/plain; charset=utf-8", text };
    return { artifact: await storeText(blobs, projectId, artifact) };
  } catch (error) {
    if (error instanceof BlobError) return { error: { code: error.code, message: error.message } };
    throw error;
  }
}
