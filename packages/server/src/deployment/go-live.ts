import type { ReleaseKind } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Failure } from "../platform/errors/index.ts";
import type { OutputLog } from "../platform/log/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import { canaryOf } from "./canary-settings.ts";
import type { Containers } from "./containers/index.ts";
import type { FindSecrets } from "./find-document.ts";
import { type DeploymentTarget, findTarget, type RenderedFile } from "./find-target.ts";
import type { DeploymentHealth } from "./health.ts";
import { planRelease, type ServiceToRun } from "./plan-release.ts";
import type { ReleaseFolders } from "./release-folders.ts";
import { type PublishedRelease, pointCurrent } from "./releases/index.ts";
import { rollbackEnv } from "./run-rollback.ts";
import { runDeploymentScript, runHealthCheck, type ScriptToRun } from "./run-scripts.ts";
import { deploymentUrl } from "./show-state.ts";
import {
  type DeploymentRow,
  describeRelease,
  findDeployment,
  findRelease,
  noteFailed,
  noteLive,
  noteMigrated,
  type ReleaseRow,
} from "./store.ts";
import type { ReleasePlan } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";
import { endedBefore, type ReleaseToRun, takeOver } from "./take-over.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly sandbox: Pick<Sandbox, "runCommand">;
  readonly addressHost: string;
  readonly minuteMs: number;
  readonly maxDiskBytes: number;
  readonly findSecrets: FindSecrets;
  readonly link: SupervisorLink;
  readonly folders: ReleaseFolders;
  readonly health: DeploymentHealth;
  readonly targets: readonly DeploymentTarget[];
  readonly containers: Pick<Containers, "scriptsIn">;
}

/** A version whose files are being made. */
export interface OpenRelease {
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly version: string;
  readonly folder: string;
  /** The stable path that will lead to it. */
  readonly current: string;
  /** It is live already: an earlier attempt got that far. */
  readonly live: LiveDeployment | undefined;
}

export interface ToGoLive {
  readonly projectId: string;
  readonly document: CompleteSpec;
  readonly environment: string;
  readonly scripts: Readonly<Partial<Record<"deploy" | "start" | "migrate" | "health_check" | "rollback", string>>>;
  readonly services: readonly ServiceToRun[];
  /** What it is, if it is not reached over HTTP by its own means. */
  readonly published: PublishedRelease | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly openLog: (source: string) => OutputLog;
}

/** What is live: its version and address; the address is empty for what is not reached over HTTP. */
interface LiveDeployment {
  readonly version: string;
  readonly url: string;
  /** How to use it, in one line. */
  readonly usage: string;
}

/** What happened on the way to a version that is live, or not. */
interface DeploymentReport {
  readonly deployment_id: string;
  readonly release_id: string;
  readonly environment: string;
  readonly version: string;
  readonly previous_version: string | null;
  readonly strategy: string;
  readonly is_live: boolean;
  readonly error: string | null;
  readonly steps: readonly { readonly at_ms: number; readonly what: string }[];
  /** How long nothing answered between the two versions. */
  readonly unserved_ms: number;
  /** Requests during the change, of all versions. */
  readonly requests: { readonly total: number; readonly failed: number; readonly dropped: number };
}

export type DeploymentResult = {
  readonly report: DeploymentReport;
  /** Files that were made for it. */
  readonly rendered: readonly RenderedFile[];
} & ({ readonly deployment: LiveDeployment } | { readonly error: Failure });

/** Brings versions live: as a script, as something to install or open, or as programs that take over from others. */
export class Launcher {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Brings an open version live; the version before stays live if that fails. Nobody else may change the deployment meanwhile. */
  async goLive(release: OpenRelease, toGoLive: ToGoLive): Promise<DeploymentResult> {
    const { db, clock } = this.#deps;
    const { deploymentId, releaseId } = release;
    const row = await findDeployment(db, deploymentId);
    const before = row?.release_id ? await findRelease(db, row.release_id) : undefined;
    const startedAt = performance.now();
    const steps: { at_ms: number; what: string }[] = [];
    const onStep = (what: string) => void steps.push({ at_ms: Math.round(performance.now() - startedAt), what });
    const countedBefore = await this.#countRequests(deploymentId);
    const rendered: RenderedFile[] = [];
    const outcome = await this.#bringUp(release, toGoLive, { row, before, onStep, rendered }).catch(
      async (error: unknown) => {
        await noteFailed(db, releaseId, "It was interrupted.", clock.now());
        throw error;
      },
    );
    const error = "failure" in outcome ? outcome.failure : null;
    const report: DeploymentReport = {
      ...{ deployment_id: deploymentId, release_id: releaseId, environment: toGoLive.environment },
      ...{ version: release.version, previous_version: before?.version ?? null },
      ...{ strategy: toGoLive.document.deployment?.strategy ?? "blue_green", is_live: error === null, error, steps },
      unserved_ms: unservedMs(steps, performance.now() - startedAt),
      requests: since(countedBefore, await this.#countRequests(deploymentId)),
    };
    if ("failure" in outcome) {
      await noteFailed(db, releaseId, outcome.failure, clock.now());
      return { error: { code: "deployment_failed", message: outcome.failure }, report, rendered };
    }
    const { port, usage } = outcome;
    await db.transaction().execute((trx) => noteLive(trx, { deploymentId, releaseId, port, now: clock.now() }));
    await pointCurrent(release.current, release.folder);
    return { deployment: { version: release.version, url: this.#urlOf(port), usage }, report, rendered };
  }

  async #bringUp(
    release: OpenRelease,
    toGoLive: ToGoLive,
    { row, before, onStep, rendered }: Change,
  ): Promise<{ port: number | null; usage: string } | { failure: string }> {
    const { db } = this.#deps;
    const { releaseId, deploymentId } = release;
    const { scripts, published } = toGoLive;
    const dataFolder = await this.#deps.folders.makeData(deploymentId);
    const script = this.#scriptOf(release, toGoLive, dataFolder);
    if (scripts.deploy !== undefined) {
      await describeRelease(db, releaseId, { kind: "script", usage: "", plan: null });
      const failure = await runDeploymentScript(this.#deps.sandbox, script("deploy", scripts.deploy));
      if (failure === undefined) return { port: row?.port ?? null, usage: "" };
      return this.#undo(failure, release, toGoLive, { before, dataFolder, onStep });
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
    const undo = (failure: string) => this.#undo(failure, release, toGoLive, { before, dataFolder, onStep });
    const failure = await this.#migrate(release, script, plan, scripts.migrate);
    if (failure !== undefined) return undo(failure);
    if (scripts.migrate !== undefined) onStep("migrated");
    const live = await this.#takeOver(release, toGoLive, { row, before, onStep, rendered, plan, script });
    if ("failure" in live) return scripts.migrate === undefined ? live : undo(live.failure);
    const usage = `curl ${this.#urlOf(live.port)}`;
    await describeRelease(db, releaseId, { kind: kindOf(published), usage, plan });
    return { port: live.port, usage };
  }

  /** Plans the version for the way in which its document wants it to run. */
  async #adapt(release: OpenRelease, { document, secrets, signal, openLog }: ToGoLive, plan: ReleasePlan) {
    const adapt = findTarget(this.#deps.targets, document)?.adapt;
    if (adapt === undefined) return { plan, rendered: [] };
    const log = openLog("deploy");
    try {
      return await adapt({
        ...{ ...release, plan, signal, secretNames: Object.keys(secrets), onOutput: (text) => log.write(text) },
        limitMs: document.timeouts.implementation_minutes * this.#deps.minuteMs,
      });
    } finally {
      log.end();
    }
  }

  async #takeOver(
    { deploymentId, releaseId }: OpenRelease,
    { document, environment, scripts, secrets, signal }: ToGoLive,
    { row, before, onStep, plan, script }: Change & { plan: ReleasePlan; script: MakeScript },
  ) {
    const { addressHost: host, minuteMs, sandbox } = this.#deps;
    const supervision = await this.#deps.link.get();
    const check = scripts.health_check;
    const previous = await this.#runningRelease(before, environment);
    if (previous !== undefined && "message" in previous) return { failure: previous.message };
    return takeOver({
      ...{ supervision, deploymentId, onStep, minuteMs, signal },
      address: { host, port: row?.port ?? 0 },
      next: { releaseId, plan, secrets },
      previous,
      strategy: document.deployment?.strategy ?? "blue_green",
      canary: canaryOf(document),
      warmMs: document.guardrails.deployment.rollback_timeout_minutes * minuteMs,
      whyUnhealthy: async (origin) =>
        check === undefined ? undefined : runHealthCheck(sandbox, origin, script("health_check", check)),
      canaryAborted: this.#deps.health.canaryAborted(releaseId),
    });
  }

  /** What is live now, if the supervisor runs it. */
  async #runningRelease(
    before: ReleaseRow | undefined,
    environment: string,
  ): Promise<ReleaseToRun | Failure | undefined> {
    if (before?.plan == null) return undefined;
    const seen = (await (await this.#deps.link.find())?.list())?.find(
      (one) => one.deploymentId === before.deployment_id,
    );
    if (!seen?.releases.some(({ releaseId, isReady }) => releaseId === before.id && isReady)) return undefined;
    const found = await this.#deps.findSecrets(before.project_id, environment);
    // Without its secrets it could not be brought back.
    if ("message" in found) return found;
    return { releaseId: before.id, plan: before.plan, secrets: found.values };
  }

  async #migrate({ releaseId }: OpenRelease, script: MakeScript, plan: ReleasePlan, command: string | undefined) {
    const { db, clock } = this.#deps;
    if (command === undefined) return undefined;
    if ((await findRelease(db, releaseId))?.migrated_at) return undefined;
    const container = plan.programs.at(-1)?.container;
    const where = container === undefined ? this.#deps.sandbox : this.#deps.containers.scriptsIn(container, releaseId);
    const failure = await runDeploymentScript(where, script("migrate", command));
    if (failure === undefined) await noteMigrated(db, releaseId, clock.now());
    return failure;
  }

  /** A script has changed something outside of the version's folder: `scripts.rollback` undoes it, where there is one. */
  async #undo(
    failure: string,
    release: OpenRelease,
    toGoLive: ToGoLive,
    { before, dataFolder, onStep }: Omit<Change, "row" | "rendered"> & { readonly dataFolder: string },
  ): Promise<{ failure: string }> {
    const { environment, scripts } = toGoLive;
    if (scripts.rollback === undefined) return { failure };
    const script = this.#scriptOf(release, toGoLive, dataFolder)("rollback", scripts.rollback);
    const own = { id: release.releaseId, version: release.version };
    const env = rollbackEnv({ release: own, other: before, environment, dataFolder });
    const why = await runDeploymentScript(this.#deps.sandbox, { ...script, env });
    onStep(why === undefined ? "ran scripts.rollback" : "scripts.rollback failed");
    return { failure: why === undefined ? failure : `${failure} Then ${why}` };
  }

  #scriptOf(
    { deploymentId, releaseId, version, folder }: OpenRelease,
    toGoLive: ToGoLive,
    dataFolder: string,
  ): MakeScript {
    const { document, environment, secrets, signal, openLog } = toGoLive;
    const { minuteMs, maxDiskBytes } = this.#deps;
    return (name, command) => ({
      ...{ name, command, document, folder, secrets, signal, openLog },
      account: { name: deploymentId, folders: [dataFolder] },
      env: {
        SLIPWAY_VERSION: version,
        SLIPWAY_RELEASE: releaseId,
        SLIPWAY_ENVIRONMENT: environment,
        SLIPWAY_DATA_DIR: dataFolder,
      },
      ...{ limitMs: document.timeouts.implementation_minutes * minuteMs, maxDiskBytes },
    });
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

  async #countRequests(deploymentId: string) {
    const seen = (await (await this.#deps.link.find())?.list())?.find((one) => one.deploymentId === deploymentId);
    const counts = { total: 0, failed: 0, dropped: 0 };
    for (const { requests, failed, dropped } of seen?.traffic ?? []) {
      counts.total += requests;
      counts.failed += failed;
      counts.dropped += dropped;
    }
    return counts;
  }

  #urlOf(port: number | null): string {
    return deploymentUrl(this.#deps.addressHost, port) ?? "";
  }
}

interface Change {
  readonly row: DeploymentRow | undefined;
  readonly before: ReleaseRow | undefined;
  readonly onStep: (what: string) => void;
  /** Gets what is made for it. */
  readonly rendered: RenderedFile[];
}

type MakeScript = (name: ScriptToRun["name"], command: string) => ScriptToRun;

function kindOf(published: PublishedRelease | undefined): ReleaseKind {
  return published?.kind ?? "server";
}

/** From the end of the version before until the new one was live, where there was such a time. */
function unservedMs(steps: DeploymentReport["steps"], nowMs: number): number {
  const ended = steps.find(({ what }) => what === endedBefore);
  return ended === undefined ? 0 : Math.max(1, Math.round(nowMs - ended.at_ms));
}

type Counts = { readonly total: number; readonly failed: number; readonly dropped: number };

/** Never below zero: a supervisor that was started again counts from nothing. */
function since(before: Counts, after: Counts): Counts {
  return {
    total: Math.max(0, after.total - before.total),
    failed: Math.max(0, after.failed - before.failed),
    dropped: Math.max(0, after.dropped - before.dropped),
  };
}
