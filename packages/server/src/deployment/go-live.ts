import type { ReleaseKind } from "@slipway/contract";
import type { Failure } from "../platform/errors/index.ts";
import { Masker, ownWords } from "../platform/secrets/index.ts";
import { canaryOf } from "./canary-settings.ts";
import { areAllCounted, countRequests, requestsSince } from "./count-requests.ts";
import type { FindSecrets } from "./find-document.ts";
import { type DeploymentTarget, findTarget, type RenderedFile } from "./find-target.ts";
import type { DeploymentHealth } from "./health.ts";
import type { OpenRelease, ToGoLive } from "./open-release.ts";
import { planRelease } from "./plan-release.ts";
import type { ReleaseFolders } from "./release-folders.ts";
import { ReleaseScripts, type ScriptDeps } from "./release-scripts.ts";
import { describeRelease, findRelease, noteFailed, noteLive, type ReleaseRow } from "./release-store.ts";
import { type PublishedRelease, prepareCurrent } from "./releases/index.ts";
import { deploymentUrl } from "./show-state.ts";
import { type DeploymentRow, findDeployment } from "./store.ts";
import { type ReleasePlan, TargetFailure } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";
import { endedBefore, type ReleaseToRun, type TakenOver, type TakeOver, takeOver } from "./take-over.ts";
import type { TargetLinks } from "./target-links.ts";
import type { BroughtLive, DeploymentReport } from "./went-live.ts";

interface Deps extends ScriptDeps {
  readonly addressHost: string;
  readonly findSecrets: FindSecrets;
  readonly links: TargetLinks;
  readonly folders: ReleaseFolders;
  readonly health: DeploymentHealth;
  readonly targets: readonly DeploymentTarget[];
}

/** A version that did not go live, and what happened on the way. */
interface NotLive {
  readonly error: Failure;
  readonly report: DeploymentReport;
  /** Files that were made for it. */
  readonly rendered: readonly RenderedFile[];
}

export type DeploymentResult = BroughtLive | NotLive;

/** Brings versions live: as a script, as something to install or open, or as programs that take over from others. */
export class Launcher {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Brings an open version live; the version before stays live if that fails. Nobody else may change the deployment meanwhile. */
  async goLive(release: OpenRelease, toGoLive: ToGoLive): Promise<DeploymentResult> {
    const { db, clock } = this.#deps;
    // First: once requests go to the new version, a full disk must not be in the way any more.
    const current = await prepareCurrent(release.current, release.folder).catch(async (error: Error) => {
      await noteFailed(db, release.releaseId, ownWords`There was no room for the link to it.`, clock.now());
      throw error;
    });
    try {
      return await this.#goLive(release, toGoLive, current.use);
    } finally {
      await current.discard();
    }
  }

  async #goLive(release: OpenRelease, toGoLive: ToGoLive, pointHere: () => Promise<void>): Promise<DeploymentResult> {
    const { db, clock } = this.#deps;
    const { deploymentId, releaseId } = release;
    const row = await findDeployment(db, deploymentId);
    const before = row?.release_id ? await findRelease(db, row.release_id) : undefined;
    const startedAt = performance.now();
    const steps: { at_ms: number; what: string }[] = [];
    const onStep = (what: string) => void steps.push({ at_ms: Math.round(performance.now() - startedAt), what });
    const count = () => countRequests(this.#linkOf(row), deploymentId, row);
    const countedBefore = await count();
    const rendered: RenderedFile[] = [];
    const change: Change = { row, before, onStep, rendered };
    const ended = await this.#bringUp(release, toGoLive, change).catch(async (error: unknown) => {
      if (error instanceof TargetFailure) return { failure: error.message };
      await noteFailed(db, releaseId, ownWords`It was interrupted.`, clock.now());
      throw error;
    });
    // Builds have the secrets: the files that images are made of may hold some, and targets quote what they are given.
    const masker = new Masker(Object.values(toGoLive.secrets));
    const outcome = "failure" in ended ? { failure: await masker.maskInSlices(ended.failure) } : ended;
    const shown: RenderedFile[] = [];
    for (const file of rendered) shown.push({ ...file, text: await masker.maskInSlices(file.text) });
    const error = "failure" in outcome ? outcome.failure : null;
    const isCounted = areAllCounted([
      { isByScript: before?.kind === "script", url: row?.url },
      { isByScript: toGoLive.scripts.deploy !== undefined, url: "failure" in outcome ? undefined : outcome.url },
    ]);
    const report: DeploymentReport = {
      ...{ deployment_id: deploymentId, release_id: releaseId, environment: toGoLive.environment },
      ...{ version: release.version, previous_version: before?.version ?? null },
      ...{ strategy: toGoLive.document.deployment?.strategy ?? "blue_green", is_live: error === null, error, steps },
      unserved_ms: unservedMs(steps, performance.now() - startedAt),
      requests: isCounted ? requestsSince(countedBefore, await count()) : null,
    };
    const failed = (message: string) => ({
      error: { code: "deployment_failed", message } as const,
      report: { ...report, is_live: false, error: message },
      rendered: shown,
    });
    if ("failure" in outcome) {
      await noteFailed(db, releaseId, outcome.failure, clock.now());
      return failed(outcome.failure);
    }
    const { port, url = null, usage } = outcome;
    const { files, beganAtMs } = toGoLive;
    const wentLive = { report, rendered: shown, files, tookMs: Math.round(performance.now() - beganAtMs) };
    const live = { deploymentId, releaseId, port, url, now: clock.now(), wentLive };
    if (!(await db.transaction().execute((trx) => noteLive(trx, live)))) return failed(beganAgain);
    await pointHere();
    return { deployment: { version: release.version, url: this.#urlOf(outcome), usage }, wentLive };
  }

  async #bringUp(
    release: OpenRelease,
    toGoLive: ToGoLive,
    change: Change,
  ): Promise<{ port: number | null; url?: string; usage: string } | { failure: string }> {
    const { row, onStep, rendered } = change;
    const { db } = this.#deps;
    const { releaseId, deploymentId } = release;
    const { scripts, published } = toGoLive;
    const dataFolder = await this.#deps.folders.makeData(deploymentId);
    const own = new ReleaseScripts(this.#deps, { ...change, release, toGoLive, dataFolder });
    if (scripts.deploy !== undefined) {
      await describeRelease(db, releaseId, { kind: "script", usage: "", plan: null });
      const failure = await own.deploy(scripts.deploy);
      return failure === undefined ? { port: row?.port ?? null, usage: "" } : own.undo(failure);
    }
    const start = published?.start ?? scripts.start;
    if (start === undefined && toGoLive.services.length === 0) {
      const { kind = "bundle", usage = "" } = published ?? {};
      await describeRelease(db, releaseId, { kind, usage, plan: null });
      return { port: row?.port ?? null, usage };
    }
    const planned = this.#planOf(release, toGoLive, { dataFolder, replicas: row?.replicas ?? 1, start });
    const adapted = await this.#adapt(release, toGoLive, planned);
    if ("failure" in adapted) return adapted;
    const { plan } = adapted;
    rendered.push(...adapted.rendered);
    if (plan !== planned) onStep("built its images");
    await describeRelease(db, releaseId, { kind: kindOf(published), usage: "", plan });
    const link = this.#linkOf(row);
    const supervision = await link.get();
    const made = await supervision.render?.({ deploymentId, releaseId, plan });
    if (made !== undefined) rendered.push(made);
    own.runAt(supervision, { deploymentId, releaseId, plan });
    const failure = await own.migrate();
    if (failure !== undefined) return own.undo(failure);
    const live = await this.#takeOver(release, toGoLive, { ...change, plan, link, scripts: own });
    if ("failure" in live) return scripts.migrate === undefined ? live : own.undo(live.failure);
    const usage = `curl ${this.#urlOf(live)}`;
    await describeRelease(db, releaseId, { kind: kindOf(published), usage, plan });
    return { ...live, usage };
  }

  /** Plans the version for the way in which its document wants it to run. */
  async #adapt(release: OpenRelease, { document, secrets, signal, openLog }: ToGoLive, plan: ReleasePlan) {
    const adapt = findTarget(this.#deps.targets, document)?.adapt;
    if (adapt === undefined) return { plan, rendered: [] };
    const log = openLog("deploy");
    try {
      return await adapt({
        ...{ ...release, plan, signal, secrets, onOutput: (text) => log.write(text) },
        limitMs: document.timeouts.implementation_minutes * this.#deps.minuteMs,
      });
    } finally {
      log.end();
    }
  }

  async #takeOver(
    { deploymentId, releaseId }: OpenRelease,
    { document, environment, secrets, signal }: ToGoLive,
    { row, before, onStep, plan, link, scripts }: Change & Planned,
  ): Promise<TakenOver> {
    const { addressHost: host, minuteMs } = this.#deps;
    const supervision = await link.get();
    const previous = await this.#runningRelease(link, before, environment);
    if (previous !== undefined && "message" in previous) return { failure: previous.message };
    using canary = this.#deps.health.watchCanary(releaseId);
    return await takeOverOrBack({
      ...{ supervision, deploymentId, onStep, minuteMs, signal },
      address: { host, port: row?.port ?? 0 },
      next: { releaseId, plan, secrets },
      previous,
      strategy: document.deployment?.strategy ?? "blue_green",
      canary: canaryOf(document),
      warmMs: document.guardrails.deployment.rollback_timeout_minutes * minuteMs,
      whyUnhealthy: (origin) => scripts.whyUnhealthy(origin),
      canaryAborted: canary.aborted,
    });
  }

  /** What is live now, if the supervisor runs it. */
  async #runningRelease(
    link: SupervisorLink,
    before: ReleaseRow | undefined,
    environment: string,
  ): Promise<ReleaseToRun | Failure | undefined> {
    if (before?.plan == null) return undefined;
    const seen = (await (await link.find())?.list())?.find((one) => one.deploymentId === before.deployment_id);
    if (!seen?.releases.some(({ releaseId, isReady }) => releaseId === before.id && isReady)) return undefined;
    const found = await this.#deps.findSecrets(before.project_id, environment);
    // Without its secrets it could not be brought back.
    if ("message" in found) return found;
    // Plans that were kept before versions named their folder have none.
    const folder = this.#deps.folders.release(before.deployment_id, before.id);
    return { releaseId: before.id, plan: { ...{ folder }, ...before.plan }, secrets: found.values };
  }

  #linkOf(row: DeploymentRow | undefined): SupervisorLink {
    return this.#deps.links.of(row?.target ?? "process");
  }

  #planOf(
    { folder, version }: OpenRelease,
    { document, services, environment }: ToGoLive,
    { dataFolder, replicas, start }: { dataFolder: string; replicas: number; start: string | undefined },
  ): ReleasePlan {
    const env = { SLIPWAY_VERSION: version, SLIPWAY_ENVIRONMENT: environment };
    // Less than the attempt may take, so that its error names the reason.
    const maxReadyMs = 0.9 * document.timeouts.implementation_minutes * this.#deps.minuteMs;
    const how = { ...(start !== undefined && { start }), services };
    const { maxDiskBytes } = this.#deps;
    return planRelease({ document, folder, dataFolder, replicas, env, maxReadyMs, maxDiskBytes, ...how });
  }

  #urlOf(address: { readonly port: number | null; readonly url?: string }): string {
    return deploymentUrl(this.#deps.addressHost, address) ?? "";
  }
}

const beganAgain = "Another node has begun this deployment again, after it had not heard of this one for long.";

interface Change {
  readonly row: DeploymentRow | undefined;
  readonly before: ReleaseRow | undefined;
  readonly onStep: (what: string) => void;
  /** Gets what is made for it. */
  readonly rendered: RenderedFile[];
}

interface Planned {
  readonly plan: ReleasePlan;
  readonly link: SupervisorLink;
  readonly scripts: ReleaseScripts;
}

/** A target that fails in between must not leave requests with a version that is not live. */
async function takeOverOrBack(change: TakeOver): Promise<TakenOver> {
  try {
    return await takeOver(change);
  } catch (error) {
    if (!(error instanceof TargetFailure)) throw error;
    const { supervision, deploymentId, address, previous, next } = change;
    const shares = previous === undefined ? [] : [{ releaseId: previous.releaseId, weight: 1 }];
    if (shares.length > 0) await supervision.route({ deploymentId, address, shares }).catch(() => undefined);
    await supervision.retire({ deploymentId, releaseId: next.releaseId, afterMs: 0 }).catch(() => undefined);
    return { failure: error.message };
  }
}

function kindOf(published: PublishedRelease | undefined): ReleaseKind {
  return published?.kind ?? "server";
}

/** From the end of the version before until the new one was live, where there was such a time. */
function unservedMs(steps: DeploymentReport["steps"], nowMs: number): number {
  const ended = steps.find(({ what }) => what === endedBefore);
  return ended === undefined ? 0 : Math.max(1, Math.round(nowMs - ended.at_ms));
}
