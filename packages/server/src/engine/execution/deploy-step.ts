import type { VerdictCounts } from "@slipway/contract";
import type { Deployments } from "../../deployment/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { findScripts, runScript, whyNotOwn, withVerdicts } from "../../verification/index.ts";
import type { NewArtifact, RunError } from "../lifecycle/index.ts";
import type { PackageCaches } from "../workspaces/index.ts";
import { type ReportSources, reportFiles } from "./acceptance-report.ts";
import type { StepInput } from "./step-input.ts";
import { storeText } from "./store-text.ts";
import { deploymentTimePointer } from "./why-refused.ts";

export interface DeployDeps {
  readonly deployments: Deployments;
  readonly minuteMs: number;
  readonly sandbox: Sandbox;
  readonly caches: PackageCaches;
  readonly blobs: BlobStore;
  readonly reports: ReportSources;
}

/** Brings the project's head live: its scripts say how. */
export async function deployStep(deps: DeployDeps, input: StepInput): Promise<void> {
  const { deployments, minuteMs } = deps;
  const { attempt, document, secrets, workspace, openLog } = input;
  const { folder, commit } = await workspace.checkOut();
  const scripts = await findScripts(document, folder, attempt.signal);
  const reason = await whyNotDeployable(scripts, folder, attempt.signal);
  if (reason !== undefined) {
    await attempt.finish({ is: "failed", error: { code: "deployment_failed", message: reason }, isFinal: true });
    return;
  }
  const startedAt = performance.now();
  const isRun = (scripts.deploy ?? scripts.start) !== undefined;
  const built = isRun ? await buildForDeployment(deps, input, folder, scripts.build) : undefined;
  if (built?.error !== undefined) {
    await attempt.finish({ is: "failed", error: { code: "deployment_failed", message: built.error.message } });
    return;
  }
  const end = await deployments.deploy({
    projectId: attempt.projectId,
    document,
    scripts,
    folder,
    commit,
    signal: AbortSignal.any([attempt.signal, attempt.leaseSignal()]),
    minuteMs,
    secrets,
    openLog,
  });
  if ("error" in end) {
    await attempt.finish({ is: "failed", error: end.error });
    return;
  }
  // What is live runs from this folder.
  if (end.deployment.url !== "") workspace.keep();
  const { error, ...judged } = await judgeTime(deps, input, performance.now() - startedAt);
  if (error !== undefined) {
    deployments.end(attempt.projectId);
    await attempt.finish({ is: "failed", error, isFinal: true, ...judged });
    return;
  }
  await attempt.finish({ is: "succeeded", deployment: end.deployment, ...judged });
}

/** A build belongs to what it is started from: that of the verification is gone with its folder. */
async function buildForDeployment(
  { sandbox, caches, minuteMs }: DeployDeps,
  { attempt, document, secrets, openLog }: StepInput,
  folder: string,
  command: string | undefined,
) {
  if (command === undefined) return undefined;
  const cache = document.performance.cache_dependencies ? await caches.open(attempt.projectId) : undefined;
  const toRun = { document, folder, signal: attempt.signal, minuteMs, cache, secrets, openLog };
  return runScript(sandbox, toRun, { name: "build", command });
}

/** Judges the line that only the deployment itself can show, and adds it to the project's report. */
async function judgeTime(
  { reports, blobs, minuteMs }: DeployDeps,
  { attempt: { projectId }, document }: StepInput,
  tookMs: number,
): Promise<{ error?: RunError; checks?: VerdictCounts; artifacts?: readonly NewArtifact[] }> {
  const limit = document.acceptance.deployment_time_max_minutes;
  const report = limit === undefined ? undefined : await reports.current(projectId);
  if (limit === undefined || report === undefined) return {};
  const isQuick = tookMs <= limit * minuteMs;
  const reason = `It was live after ${Math.round(tookMs / 100) / 10} s; at most ${limit} minutes are allowed.`;
  const verdict = { pointer: deploymentTimePointer, verdict: isQuick ? "passed" : "failed", reason } as const;
  const now = withVerdicts(report, [{ ...verdict, durationMs: Math.round(tookMs) }]);
  const files = reportFiles(document.name, now);
  const artifacts = await Promise.all(files.map((file) => storeText(blobs, projectId, file)));
  const error = isQuick ? {} : { error: { code: "deployment_failed", message: reason } };
  return { ...error, checks: now.counts, artifacts };
}

/** Why the script that brings the result live is not its own; undefined if it is, or there is none. */
async function whyNotDeployable(
  { deploy, start }: { readonly deploy?: string; readonly start?: string },
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = deploy === undefined ? "start" : "deploy";
  const command = deploy ?? start;
  return command === undefined ? undefined : whyNotOwn({ name, command }, folder, signal);
}
