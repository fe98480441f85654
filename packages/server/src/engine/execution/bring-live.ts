import { dirname } from "node:path";
import type { VerdictCounts } from "@slipway/contract";
import {
  type BroughtLive,
  type Deployments,
  isServer,
  type OpenRelease,
  publishRelease,
  type WentLive,
} from "../../deployment/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import { causeLine } from "../../platform/cause-line.ts";
import { whyTooLargeBuilt } from "../../platform/git/index.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import { documentLimits, type Sandbox } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { findScripts, findServices, runScript, whyNotOwn, whyTooManyServices } from "../../verification/index.ts";
import type { NewArtifact, RunError, TaskOutcome } from "../lifecycle/index.ts";
import { lendCache, type PackageCaches } from "../workspaces/index.ts";
import type { ReportSources } from "./acceptance-report.ts";
import { failureOf } from "./failure-of.ts";
import { judgeDeployment } from "./judge-deployment.ts";
import { lackOfSpace } from "./lack-of-space.ts";
import type { StepInput } from "./step-input.ts";
import { storeFile, storeText } from "./store-artifact.ts";

export interface DeployDeps {
  readonly deployments: Deployments;
  readonly minuteMs: number;
  readonly sandbox: Sandbox;
  readonly caches: PackageCaches;
  readonly blobs: BlobStore;
  readonly reports: ReportSources;
}

/** A version whose files are in place, and where it goes. */
export interface ToBringLive extends Pick<StepInput, "document" | "secrets" | "openLog"> {
  readonly projectId: string;
  readonly environment: string;
  readonly release: OpenRelease;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** Aborted when another node may be at the same work. */
  readonly leaseSignal: AbortSignal;
  /** It was built for another environment, and goes live as it is; left out: it is built here. */
  readonly built?: { readonly published: MadeRelease["published"] };
}

/** Builds a version, unless it is built already, and brings it live; says what became of it. */
export async function bringLive(deps: DeployDeps, toBring: ToBringLive): Promise<TaskOutcome> {
  const { deployments } = deps;
  const { projectId, environment, release, document, secrets, openLog } = toBring;
  const beganAtMs = performance.now();
  const ready = await makeReady(deps, toBring).catch(async (error: Error) => {
    await deployments.giveUp(release, { reason: failureOf(error)?.message ?? "It was interrupted.", secrets });
    throw error;
  });
  if ("error" in ready) {
    const fullDisk = await explainedByDisk(release, ready.error);
    await deployments.giveUp(release, { reason: (fullDisk ?? ready.error).message, secrets });
    return { is: "failed", ...(fullDisk ? { error: fullDisk } : ready) };
  }
  const end = await deployments.goLive(release, {
    ...ready,
    ...{ projectId, environment, document, secrets, openLog, beganAtMs },
    signal: AbortSignal.any([toBring.signal, toBring.leaseSignal]),
  });
  if (!("error" in end)) return tellLive(deps, toBring, end);
  const error = (await explainedByDisk(release, end.error)) ?? end.error;
  return { is: "failed", error, artifacts: await storeReports(deps, toBring, end) };
}

/** What `tellLive` needs of a version. */
type ToTell = Pick<ToBringLive, "projectId" | "environment" | "document" | "secrets" | "release" | "built">;

/**
 * Says what became of a version that is live, also where whoever brought it live was killed before they could. One that breaks
 * what only the deployment can show, or of which nothing can be told, is taken back.
 */
export async function tellLive(
  deps: DeployDeps,
  toTell: ToTell,
  { deployment, wentLive }: BroughtLive,
): Promise<TaskOutcome> {
  if (wentLive === undefined) return { is: "succeeded", deployment };
  const told = await tell(deps, toTell, wentLive).catch((thrown: unknown) => {
    const error = failureOf(thrown);
    if (error === undefined) throw thrown;
    return { error };
  });
  const { error, ...found } = told;
  if (error === undefined) return { is: "succeeded", deployment, ...found };
  const reason = new Masker(Object.values(toTell.secrets)).mask(error.message);
  await deps.deployments.takeBack(toTell.release, reason);
  // What is stored elsewhere may be reached again when the next attempt begins.
  return { is: "failed", error, isFinal: error.code !== "store_unavailable", ...found };
}

interface Told {
  readonly error?: RunError;
  readonly checks?: VerdictCounts;
  readonly artifacts?: readonly NewArtifact[];
}

async function tell(deps: DeployDeps, toTell: ToTell, wentLive: WentLive): Promise<Told> {
  const reports = await storeReports(deps, toTell, wentLive);
  const judged = await judge(deps, toTell, wentLive);
  return { ...judged, artifacts: [...reports, ...wentLive.files, ...(judged.artifacts ?? [])] };
}

/** Stores what happened on the way, and the files that were made for it. */
async function storeReports(
  { blobs }: DeployDeps,
  { projectId, environment, built }: ToTell,
  { report, rendered }: Pick<WentLive, "report" | "rendered">,
): Promise<readonly NewArtifact[]> {
  const place = built === undefined ? "deployment" : `deployment/${fileNameOf(environment)}`;
  const told = {
    ...{ type: "deployment_report", path: `${place}/report.json`, mediaType: "application/json" },
    text: `${JSON.stringify(report, undefined, 2)}\n`,
  };
  const files = rendered.map(({ path, text }) => ({ ...renderedKind, path: `${place}/${path}`, text }));
  return Promise.all([told, ...files].map((file) => storeText(blobs, projectId, file)));
}

/** Of the folder above, for that of a version which failed is gone. */
function explainedByDisk({ folder }: OpenRelease, { message }: RunError): Promise<RunError | undefined> {
  return lackOfSpace(dirname(folder), message, "the version could not be deployed");
}

/** Files that people can use by hand. */
const renderedKind = { type: "deployment_config", mediaType: "text/plain" } as const;

/** Judges what only the deployment itself can show. Of further environments, the project's own report says nothing. */
async function judge(deps: DeployDeps, { projectId, document, built }: ToTell, shown: WentLive): Promise<Told> {
  const judged = await judgeDeployment(deps, { projectId, document }, shown);
  if (built === undefined) return judged;
  return judged.error === undefined ? {} : { error: judged.error };
}

type ToGoLive = Parameters<Deployments["goLive"]>[1];
type MadeRelease = Pick<ToGoLive, "scripts" | "services" | "published">;

/** Makes a version, and stores what people download of it: before anything of it runs, and while it may still fail alone. */
async function makeReady(
  deps: DeployDeps,
  toBring: ToBringLive,
): Promise<(MadeRelease & Pick<ToGoLive, "files">) | { error: RunError; isFinal?: true }> {
  const { projectId, release, signal, built } = toBring;
  const made = await makeRelease(deps, toBring);
  if ("error" in made) return made;
  const files = built === undefined ? (made.published?.files ?? []) : [];
  const stored = files.map((file) => storeFile(deps.blobs, { projectId, folder: release.folder, signal }, file));
  return { ...made, files: await Promise.all(stored) };
}

/** Builds what is deployed, and packs what does not run by itself. */
async function makeRelease(
  deps: DeployDeps,
  toBring: ToBringLive,
): Promise<MadeRelease | { error: RunError; isFinal?: true }> {
  const { document, release, signal, built } = toBring;
  const { folder } = release;
  const found = await findScripts(document, folder, signal);
  const scripts = isServer(document, found) ? found : { ...found, start: undefined };
  const apart = scripts.start === undefined ? await findServices(document, folder, signal) : [];
  const reason = whyTooManyServices(apart) ?? (await whyNotDeployable(scripts, folder, signal));
  if (reason !== undefined) return { error: { code: "deployment_failed", message: reason }, isFinal: true };
  const made = { scripts: withoutMissing(scripts), services: apart, published: built?.published };
  if (built !== undefined) return made;
  const builds = [
    { startsIn: ".", build: scripts.build },
    ...apart.map(({ path, build }) => ({ startsIn: path, build })),
  ];
  const isBuilt = builds.some((one) => one.build !== undefined);
  const failure =
    (await build(deps, toBring, builds)) ?? (isBuilt ? await whyTooLargeBuilt(folder, signal) : undefined);
  if (failure !== undefined) return { error: { code: "deployment_failed", message: failure } };
  const isRun = (scripts.deploy ?? scripts.start) !== undefined || apart.length > 0;
  const published = isRun ? undefined : await publish(deps, toBring);
  if (published !== undefined && "failure" in published)
    return { error: { code: "deployment_failed", message: explain(published) } };
  // Again: programs of the result ran to make what is published, such as a build of its package.
  const tooLarge = published === undefined ? undefined : await whyTooLargeBuilt(folder, signal);
  if (tooLarge !== undefined) return { error: { code: "deployment_failed", message: tooLarge } };
  await seal(deps, toBring, published);
  return { ...made, published };
}

async function build(
  { sandbox, caches, minuteMs }: DeployDeps,
  { projectId, document, release: { folder }, secrets, openLog, signal }: ToBringLive,
  builds: readonly { readonly startsIn: string; readonly build: string | undefined }[],
): Promise<string | undefined> {
  return lendCache(caches, projectId, document, async (cache) => {
    for (const { startsIn, build: command } of builds) {
      if (command === undefined) continue;
      const toRun = { document, folder, startsIn, signal, minuteMs, cache, secrets, openLog };
      const { error } = await runScript(sandbox, toRun, { name: "build", command });
      if (error !== undefined) return error.message;
    }
    return undefined;
  });
}

async function publish(
  { sandbox, minuteMs }: DeployDeps,
  { document, secrets, openLog, signal, release: { folder, current } }: ToBringLive,
) {
  const log = openLog("deploy");
  try {
    const limitMs = document.timeouts.implementation_minutes * minuteMs;
    const limits = documentLimits(document);
    const onOutput = (text: string) => log.write(text);
    return await publishRelease({ sandbox }, { document, folder, current, limits, limitMs, signal, secrets, onOutput });
  } finally {
    log.end();
  }
}

/** Keeps the files for the document's other environments. What cannot be kept can only go live here. */
async function seal({ deployments }: DeployDeps, toBring: ToBringLive, published: MadeRelease["published"]) {
  const { document, release, secrets, signal, openLog } = toBring;
  if (Object.keys(document.environments ?? {}).length === 0) return;
  const reason = await deployments.seal(release, { published, secrets, signal }).catch((error: unknown) => {
    if (error instanceof FileRefusal) return error.message;
    throw error;
  });
  if (reason === undefined) return;
  const log = openLog("deploy");
  log.write(`The files are not kept for other environments: ${reason}\n`);
  log.end();
}

function withoutMissing(scripts: Readonly<Record<string, string | undefined>>): MadeRelease["scripts"] {
  return Object.fromEntries(Object.entries(scripts).filter(([, command]) => command !== undefined));
}

function explain({ failure, output }: { readonly failure: string; readonly output: string }): string {
  return `${failure} ${causeLine(output, 500)}`.trim();
}

/** An environment as a folder of its own among the artifacts. */
function fileNameOf(environment: string): string {
  const name = encodeURIComponent(environment || "default");
  return /^\.+$/.test(name) ? `_${name}` : name;
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
