import type { VerdictCounts } from "@slipway/contract";
import { type Deployments, isServer, type OpenRelease, publishRelease } from "../../deployment/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import { documentLimits, type Sandbox } from "../../platform/sandbox/index.ts";
import { findScripts, findServices, runScript, whyNotOwn, withVerdicts } from "../../verification/index.ts";
import type { NewArtifact, RunError, TaskOutcome } from "../lifecycle/index.ts";
import type { PackageCaches } from "../workspaces/index.ts";
import { type ReportSources, reportFiles } from "./acceptance-report.ts";
import type { StepInput } from "./step-input.ts";
import { storeFile, storeText } from "./store-artifact.ts";
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
  const { deployments } = deps;
  const { attempt, context, document, workspace } = input;
  const { environment } = context.run.rules;
  const unserved = await deployments.unserved(document);
  if (unserved.length > 0) {
    const message = unserved.map(({ reason }) => reason).join(" ");
    await attempt.finish({ is: "failed", error: { code: "deployment_failed", message }, isFinal: true });
    return;
  }
  const { commit } = await workspace.checkOut();
  const strategy = document.deployment?.strategy ?? "blue_green";
  const { projectId, number } = attempt;
  const release = await deployments.open({ projectId, attempt: number, environment, commit, strategy, document });
  if ("code" in release) {
    await attempt.finish({ is: "failed", error: release, isFinal: true });
    return;
  }
  // The attempt before got that far, and died before it could say so.
  if (release.live !== undefined) {
    await attempt.finish({ is: "succeeded", deployment: release.live });
    return;
  }
  await workspace.moveTo(release.folder);
  await attempt.finish(await deploy(deps, input, release));
}

/** Builds the release and brings it live; says what became of it. */
async function deploy(deps: DeployDeps, input: StepInput, release: OpenRelease): Promise<TaskOutcome> {
  const { deployments, blobs } = deps;
  const { attempt, context, document, secrets, openLog } = input;
  const startedAt = performance.now();
  const made = await makeRelease(deps, input, release).catch(async (error: Error) => {
    await deployments.giveUp(release, "It was interrupted.");
    throw error;
  });
  if ("error" in made) {
    await deployments.giveUp(release, made.error.message);
    return { is: "failed", ...made };
  }
  const end = await deployments.goLive(release, {
    ...made,
    ...{ projectId: attempt.projectId, environment: context.run.rules.environment, document, secrets, openLog },
    signal: AbortSignal.any([attempt.signal, attempt.leaseSignal()]),
  });
  const report = await storeText(blobs, attempt.projectId, {
    type: "deployment_report",
    path: "deployment/report.json",
    mediaType: "application/json",
    text: `${JSON.stringify(end.report, undefined, 2)}\n`,
  });
  const rendered = await Promise.all(
    end.rendered.map((file) => storeText(blobs, attempt.projectId, { ...file, ...renderedKind })),
  );
  if ("error" in end) return { is: "failed", error: end.error, artifacts: [report, ...rendered] };
  const files = made.published?.files ?? [];
  const published = await Promise.all(files.map((file) => storeFile(blobs, attempt.projectId, release.folder, file)));
  const { error, ...judged } = await judgeTime(deps, input, performance.now() - startedAt);
  const artifacts = [report, ...rendered, ...published, ...(judged.artifacts ?? [])];
  if (error === undefined) return { is: "succeeded", deployment: end.deployment, ...judged, artifacts };
  await deployments.takeBack(release, error.message);
  return { is: "failed", error, isFinal: true, ...judged, artifacts };
}

/** Files that people can use by hand. */
const renderedKind = { type: "deployment_config", mediaType: "text/plain" } as const;

type MadeRelease = Pick<Parameters<Deployments["goLive"]>[1], "scripts" | "services" | "published">;

/** Builds what is deployed, and packs what does not run by itself. */
async function makeRelease(
  deps: DeployDeps,
  { attempt, document, secrets, openLog }: StepInput,
  { folder, current }: OpenRelease,
): Promise<MadeRelease | { error: RunError; isFinal?: true }> {
  const { sandbox, caches, minuteMs } = deps;
  const { signal } = attempt;
  const found = await findScripts(document, folder, signal);
  const scripts = isServer(document, found) ? found : { ...found, start: undefined };
  const apart = scripts.start === undefined ? await findServices(document, folder, signal) : [];
  const reason = await whyNotDeployable(scripts, folder, signal);
  if (reason !== undefined) return { error: { code: "deployment_failed", message: reason }, isFinal: true };
  const cache = document.performance.cache_dependencies ? await caches.open(attempt.projectId) : undefined;
  const toRun = { document, folder, signal, minuteMs, cache, secrets, openLog };
  const builds = [
    { folder, build: scripts.build },
    ...apart.map(({ path, build }) => ({ folder: `${folder}/${path}`, build })),
  ];
  for (const { folder: where, build } of builds) {
    const built =
      build === undefined
        ? undefined
        : await runScript(sandbox, { ...toRun, folder: where }, { name: "build", command: build });
    if (built?.error !== undefined) return { error: { code: "deployment_failed", message: built.error.message } };
  }
  const isRun = (scripts.deploy ?? scripts.start) !== undefined || apart.length > 0;
  if (isRun) return { scripts: withoutMissing(scripts), services: apart, published: undefined };
  const log = openLog("deploy");
  try {
    const limitMs = document.timeouts.implementation_minutes * minuteMs;
    const limits = documentLimits(document);
    const published = await publishRelease(
      { sandbox },
      { document, folder, current, limits, limitMs, signal, secrets, onOutput: (text) => log.write(text) },
    );
    if ("failure" in published) return { error: { code: "deployment_failed", message: explain(published) } };
    return { scripts: withoutMissing(scripts), services: [], published };
  } finally {
    log.end();
  }
}

function withoutMissing(scripts: Readonly<Record<string, string | undefined>>): MadeRelease["scripts"] {
  return Object.fromEntries(Object.entries(scripts).filter(([, command]) => command !== undefined));
}

function explain({ failure, output }: { readonly failure: string; readonly output: string }): string {
  const last = output.trim().split("\n").at(-1)?.slice(0, 500) ?? "";
  return last === "" ? failure : `${failure} Last output: ${last}`;
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
  { deploy, start }: { readonly deploy?: string | undefined; readonly start?: string | undefined },
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = deploy === undefined ? "start" : "deploy";
  const command = deploy ?? start;
  return command === undefined ? undefined : whyNotOwn({ name, command }, folder, signal);
}
