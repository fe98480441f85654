import { dirname } from "node:path";
import type { VerdictCounts } from "@slipway/contract";
import { type Deployments, isServer, type OpenRelease, publishRelease } from "../../deployment/index.ts";
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
  const { deployments, blobs } = deps;
  const { projectId, environment, release, document, secrets, openLog, built } = toBring;
  const startedAt = performance.now();
  const made = await makeRelease(deps, toBring).catch(async (error: Error) => {
    await deployments.giveUp(release, { reason: failureOf(error)?.message ?? "It was interrupted.", secrets });
    throw error;
  });
  if ("error" in made) {
    const fullDisk = await explainedByDisk(release, made.error);
    await deployments.giveUp(release, { reason: (fullDisk ?? made.error).message, secrets });
    return { is: "failed", ...(fullDisk ? { error: fullDisk } : made) };
  }
  const end = await deployments.goLive(release, {
    ...made,
    ...{ projectId, environment, document, secrets, openLog },
    signal: AbortSignal.any([toBring.signal, toBring.leaseSignal]),
  });
  const place = built === undefined ? "deployment" : `deployment/${fileNameOf(environment)}`;
  const report = await storeText(blobs, projectId, {
    type: "deployment_report",
    path: `${place}/report.json`,
    mediaType: "application/json",
    text: `${JSON.stringify(end.report, undefined, 2)}\n`,
  });
  const rendered = await Promise.all(
    end.rendered.map(({ path, text }) =>
      storeText(blobs, projectId, { ...renderedKind, path: `${place}/${path}`, text }),
    ),
  );
  if ("error" in end) {
    const error = (await explainedByDisk(release, end.error)) ?? end.error;
    return { is: "failed", error, artifacts: [report, ...rendered] };
  }
  const files = built === undefined ? (made.published?.files ?? []) : [];
  const published = await Promise.all(files.map((file) => storeFile(blobs, projectId, release.folder, file)));
  const { error, ...judged } = await judge(deps, toBring, {
    tookMs: performance.now() - startedAt,
    report: end.report,
  });
  const artifacts = [report, ...rendered, ...published, ...(judged.artifacts ?? [])];
  if (error === undefined) return { is: "succeeded", deployment: end.deployment, ...judged, artifacts };
  await deployments.takeBack(release, new Masker(Object.values(secrets)).mask(error.message));
  return { is: "failed", error, isFinal: true, ...judged, artifacts };
}

/** Of the folder above, for that of a version which failed is gone. */
function explainedByDisk({ folder }: OpenRelease, { message }: RunError): Promise<RunError | undefined> {
  return lackOfSpace(dirname(folder), message, "the version could not be deployed");
}

/** Files that people can use by hand. */
const renderedKind = { type: "deployment_config", mediaType: "text/plain" } as const;

/** Judges what only the deployment itself can show. Of further environments, the project's own report says nothing. */
async function judge(
  deps: DeployDeps,
  { projectId, document, built }: ToBringLive,
  shown: Parameters<typeof judgeDeployment>[2],
): Promise<{ error?: RunError; checks?: VerdictCounts; artifacts?: readonly NewArtifact[] }> {
  const judged = await judgeDeployment(deps, { projectId, document }, shown);
  if (built === undefined) return judged;
  return judged.error === undefined ? {} : { error: judged.error };
}

type MadeRelease = Pick<Parameters<Deployments["goLive"]>[1], "scripts" | "services" | "published">;

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
