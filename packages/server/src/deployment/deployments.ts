import { createHash } from "node:crypto";
import type { ReleaseKind } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Failure } from "../platform/errors/index.ts";
import { newId } from "../platform/ids.ts";
import type { Log, OutputLog } from "../platform/log/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import { canaryOf } from "./canary-settings.ts";
import { DeploymentHealth, type DeploymentNews } from "./health.ts";
import { keptReleases } from "./kept-releases.ts";
import { planRelease, type ServiceToRun } from "./plan-release.ts";
import { ReleaseFolders } from "./release-folders.ts";
import { type PublishedRelease, pointCurrent } from "./releases/index.ts";
import { runDeploymentScript, runHealthCheck, type ScriptToRun } from "./run-scripts.ts";
import { DeploymentSettler } from "./settle.ts";
import {
  type DeploymentRow,
  describeRelease,
  findDeployment,
  findRelease,
  noteFailed,
  noteLive,
  noteMigrated,
  openRelease,
  type ReleaseRow,
  selectReleases,
} from "./store.ts";
import type { ReleasePlan, SupervisorEvent } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";
import { type ReleaseToRun, takeOver } from "./take-over.ts";
import { Turns } from "./turns.ts";

export interface DeploymentsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Names the data folder of this node. */
  readonly host: string;
  /** Holds a folder a deployment. */
  readonly folder: string;
  /** Where deployed software listens. */
  readonly addressHost: string;
  readonly sandbox: Pick<Sandbox, "runCommand">;
  readonly openSupervisor: (onEvent: (event: SupervisorEvent) => void, onGone: () => void) => SupervisorLink;
  /** The secrets of a project's document, or why they cannot be had. */
  readonly findSecrets: (projectId: string) => Promise<{ values: Readonly<Record<string, string>> } | Failure>;
  /** How the document of a project wants failures answered. */
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  /** Where the output of deployed software goes. */
  readonly writeLog: (projectId: string, source: string, text: string) => void;
  readonly news: DeploymentNews;
  readonly minuteMs: number;
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

interface ReleaseToOpen {
  readonly projectId: string;
  /** Counts the project's attempts to deploy; the same when one is repeated after a crash. */
  readonly attempt: number;
  readonly environment: string;
  readonly commit: string;
  readonly strategy: string;
}

interface ToGoLive {
  readonly projectId: string;
  readonly document: CompleteSpec;
  readonly environment: string;
  readonly scripts: Readonly<Partial<Record<"deploy" | "start" | "migrate" | "health_check", string>>>;
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
  /** Requests during the change, of all versions. */
  readonly requests: { readonly total: number; readonly failed: number; readonly dropped: number };
}

export type DeploymentResult = { readonly report: DeploymentReport } & (
  | { readonly deployment: LiveDeployment }
  | { readonly error: Failure }
);

/** What is deployed on this node: goes live, is kept alive by the supervisor, is switched, stopped and removed. */
export class Deployments {
  readonly #deps: DeploymentsDeps;
  readonly #folders: ReleaseFolders;
  readonly #link: SupervisorLink;
  readonly #turns = new Turns();
  readonly #health: DeploymentHealth;
  readonly #settler: DeploymentSettler;

  constructor(deps: DeploymentsDeps) {
    this.#deps = deps;
    this.#folders = new ReleaseFolders(deps.folder);
    this.#health = new DeploymentHealth(deps, (deploymentId) => void this.settle(deploymentId));
    this.#link = deps.openSupervisor(
      (event) => this.#health.note(event),
      () => void this.settleAll(),
    );
    this.#settler = new DeploymentSettler({
      ...deps,
      link: this.#link,
      health: this.#health,
      folders: this.#folders,
    });
  }

  /** Opens a version of the project's application, and makes room for its files. */
  async open({ commit, ...toOpen }: ReleaseToOpen): Promise<OpenRelease | Failure> {
    const { db, clock, host } = this.#deps;
    const now = clock.now();
    const version = createHash("sha256").update(commit).digest("hex").slice(0, 12);
    const ids = { deploymentId: newId("deployment", now.getTime()), releaseId: newId("release", now.getTime()) };
    const row = await db.transaction().execute((trx) => openRelease(trx, { ...toOpen, ...ids, host, version, now }));
    const deployment = await findDeployment(db, row.deployment_id);
    if (deployment?.host !== host) return elsewhere;
    const isLive = row.status === "live" && deployment.release_id === row.id;
    const { deployment_id: deploymentId, id: releaseId, usage } = row;
    // What a service that was killed has left of it must not run from files that are made anew.
    if (!isLive) await (await this.#link.find())?.retire({ deploymentId, releaseId, afterMs: 0 });
    const folder = isLive
      ? this.#folders.release(deploymentId, releaseId)
      : await this.#folders.makeRelease(deploymentId, releaseId);
    const live = isLive ? { version, usage, url: this.#urlOf(deployment.port) } : undefined;
    return { deploymentId, releaseId, version, folder, current: this.#folders.current(deploymentId), live };
  }

  /** Brings an open version live; the version before stays live if that fails. */
  async goLive(release: OpenRelease, toGoLive: ToGoLive): Promise<DeploymentResult> {
    return this.#turns.take(release.deploymentId, () => this.#goLive(release, toGoLive));
  }

  /** An open version that will not go live: its files could not be made. */
  async giveUp({ deploymentId, releaseId }: OpenRelease, reason: string): Promise<void> {
    await noteFailed(this.#deps.db, releaseId, reason, this.#deps.clock.now());
    await this.#removeOldFiles(deploymentId);
  }

  /** Goes back to the version before, or stops: the new one has broken a promise after it went live. */
  async takeBack({ deploymentId, releaseId }: OpenRelease, reason: string): Promise<void> {
    await this.#settler.takeBack(deploymentId, releaseId, reason);
    await this.settle(deploymentId);
  }

  /** Brings a deployment to what people want of it, if it lives here. */
  async settle(deploymentId: string): Promise<void> {
    await this.#turns
      .take(deploymentId, () => this.#settler.settle(deploymentId))
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error, deployment_id: deploymentId }, "A deployment could not be settled.");
      });
  }

  /** Brings all deployments of this node to what people want of them. */
  async settleAll(): Promise<void> {
    for (const deploymentId of await this.#settler.findAll()) await this.settle(deploymentId);
  }

  /** Leaves what is deployed to the supervisor. */
  async leave(): Promise<void> {
    this.#health.stop();
    await this.#link.leave();
  }

  /** Ends what is deployed, until the service is started again. */
  async close(): Promise<void> {
    this.#health.stop();
    await this.#link.close();
  }

  async #goLive(release: OpenRelease, toGoLive: ToGoLive): Promise<DeploymentResult> {
    const { db, clock } = this.#deps;
    const { deploymentId, releaseId } = release;
    const row = await findDeployment(db, deploymentId);
    const before = row?.release_id ? await findRelease(db, row.release_id) : undefined;
    const startedAt = performance.now();
    const steps: { at_ms: number; what: string }[] = [];
    const onStep = (what: string) => void steps.push({ at_ms: Math.round(performance.now() - startedAt), what });
    const countedBefore = await this.#countRequests(deploymentId);
    const outcome = await this.#bringUp(release, toGoLive, { row, before, onStep });
    const error = "failure" in outcome ? outcome.failure : null;
    const report: DeploymentReport = {
      ...{ deployment_id: deploymentId, release_id: releaseId, environment: toGoLive.environment },
      ...{ version: release.version, previous_version: before?.version ?? null },
      ...{ strategy: toGoLive.document.deployment?.strategy ?? "blue_green", is_live: error === null, error, steps },
      requests: since(countedBefore, await this.#countRequests(deploymentId)),
    };
    if ("failure" in outcome) {
      await noteFailed(db, releaseId, outcome.failure, clock.now());
      await this.#removeOldFiles(deploymentId);
      return { error: { code: "deployment_failed", message: outcome.failure }, report };
    }
    const { port, usage } = outcome;
    await db.transaction().execute((trx) => noteLive(trx, { deploymentId, releaseId, port, now: clock.now() }));
    await pointCurrent(release.current, release.folder);
    await this.#removeOldFiles(deploymentId);
    return { deployment: { version: release.version, url: this.#urlOf(port), usage }, report };
  }

  async #bringUp(
    release: OpenRelease,
    toGoLive: ToGoLive,
    { row, before, onStep }: Change,
  ): Promise<{ port: number | null; usage: string } | { failure: string }> {
    const { db } = this.#deps;
    const { releaseId, deploymentId } = release;
    const { scripts, published } = toGoLive;
    const dataFolder = await this.#folders.makeData(deploymentId);
    const script = this.#scriptOf(release, toGoLive, dataFolder);
    if (scripts.deploy !== undefined) {
      await describeRelease(db, releaseId, { kind: "script", usage: "", plan: null });
      const failure = await this.#run(script("deploy", scripts.deploy));
      return failure === undefined ? { port: row?.port ?? null, usage: "" } : { failure };
    }
    const start = published?.start ?? scripts.start;
    if (start === undefined && toGoLive.services.length === 0) {
      const { kind = "bundle", usage = "" } = published ?? {};
      await describeRelease(db, releaseId, { kind, usage, plan: null });
      return { port: row?.port ?? null, usage };
    }
    const plan = this.#planOf(release, toGoLive, { dataFolder, replicas: row?.replicas ?? 1, start });
    await describeRelease(db, releaseId, { kind: kindOf(published), usage: "", plan });
    const failure = await this.#migrate(release, script, scripts.migrate);
    if (failure !== undefined) return { failure };
    if (scripts.migrate !== undefined) onStep("migrated");
    const live = await this.#takeOver(release, toGoLive, { row, before, onStep, plan, script });
    if ("failure" in live) return live;
    const usage = `open ${this.#urlOf(live.port)}`;
    await describeRelease(db, releaseId, { kind: kindOf(published), usage, plan });
    return { port: live.port, usage };
  }

  async #takeOver(
    { deploymentId, releaseId }: OpenRelease,
    { document, scripts, secrets, signal }: ToGoLive,
    { row, before, onStep, plan, script }: Change & { plan: ReleasePlan; script: MakeScript },
  ) {
    const { addressHost: host, minuteMs, sandbox } = this.#deps;
    const supervision = await this.#link.get();
    const check = scripts.health_check;
    const previous = await this.#runningRelease(before);
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
      canaryAborted: this.#health.canaryAborted(releaseId),
    });
  }

  /** What is live now, if the supervisor runs it. */
  async #runningRelease(before: ReleaseRow | undefined): Promise<ReleaseToRun | Failure | undefined> {
    if (before?.plan == null) return undefined;
    const seen = (await (await this.#link.find())?.list())?.find((one) => one.deploymentId === before.deployment_id);
    if (!seen?.releases.some(({ releaseId, isReady }) => releaseId === before.id && isReady)) return undefined;
    const found = await this.#deps.findSecrets(before.project_id);
    // Without its secrets it could not be brought back.
    if ("message" in found) return found;
    return { releaseId: before.id, plan: before.plan, secrets: found.values };
  }

  async #migrate({ releaseId }: OpenRelease, script: MakeScript, command: string | undefined) {
    const { db, clock } = this.#deps;
    if (command === undefined) return undefined;
    if ((await findRelease(db, releaseId))?.migrated_at) return undefined;
    const failure = await this.#run(script("migrate", command));
    if (failure === undefined) await noteMigrated(db, releaseId, clock.now());
    return failure;
  }

  #run(script: ScriptToRun): Promise<string | undefined> {
    return runDeploymentScript(this.#deps.sandbox, script);
  }

  #scriptOf(
    { deploymentId, releaseId, version, folder }: OpenRelease,
    toGoLive: ToGoLive,
    dataFolder: string,
  ): MakeScript {
    const { document, environment, secrets, signal, openLog } = toGoLive;
    const { minuteMs } = this.#deps;
    return (name, command) => ({
      ...{ name, command, document, folder, secrets, signal, openLog },
      account: { name: deploymentId, folders: [dataFolder] },
      env: {
        SLIPWAY_VERSION: version,
        SLIPWAY_RELEASE: releaseId,
        SLIPWAY_ENVIRONMENT: environment,
        SLIPWAY_DATA_DIR: dataFolder,
      },
      limitMs: document.timeouts.implementation_minutes * minuteMs,
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
    return planRelease({ document, folder, dataFolder, replicas, env, maxReadyMs, ...how });
  }

  async #countRequests(deploymentId: string) {
    const seen = (await (await this.#link.find())?.list())?.find((one) => one.deploymentId === deploymentId);
    const counts = { total: 0, failed: 0, dropped: 0 };
    for (const { requests, failed, dropped } of seen?.traffic ?? []) {
      counts.total += requests;
      counts.failed += failed;
      counts.dropped += dropped;
    }
    return counts;
  }

  /** Keeps the files of the version that is live, and of those that can be gone back to. */
  async #removeOldFiles(deploymentId: string): Promise<void> {
    const releases = await selectReleases(this.#deps.db, deploymentId, 100);
    await this.#folders.keepOnly(deploymentId, keptReleases(releases));
  }

  #urlOf(port: number | null): string {
    return port === null ? "" : `http://${this.#deps.addressHost}:${port}`;
  }
}

interface Change {
  readonly row: DeploymentRow | undefined;
  readonly before: ReleaseRow | undefined;
  readonly onStep: (what: string) => void;
}

type MakeScript = (name: ScriptToRun["name"], command: string) => ScriptToRun;

const elsewhere: Failure = {
  code: "deployment_failed",
  message:
    "The application's deployment lives in the data folder of another node. Stop that node's, or remove the deployment there, before deploying from here.",
};

function kindOf(published: PublishedRelease | undefined): ReleaseKind {
  return published?.kind ?? "server";
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
