import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import { isDiskFull } from "../platform/disk-space.ts";
import type { Log } from "../platform/log/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import { type Masked, Masker, ownWords } from "../platform/secrets/index.ts";
import type { Containers } from "./containers/index.ts";
import type { FindDocument, FindSecrets } from "./find-document.ts";
import type { DeploymentHealth, DeploymentNews, Look } from "./health.ts";
import type { ReleaseFolders } from "./release-folders.ts";
import { describeRelease, findRelease, noteFailed, noteLive, noteTraffic, type ReleaseRow } from "./release-store.ts";
import { currentFolder, pointCurrent } from "./releases/index.ts";
import { type OpenProjectLog, runRollback } from "./run-rollback-script.ts";
import {
  type DeploymentRow,
  findDeployment,
  findRemoved,
  forgetRemoved,
  noteHealth,
  noteRestarted,
  noteRollbackRun,
  selectDeploymentsOf,
  selectRemoved,
  stopWanting,
  wantRelease,
} from "./store.ts";
import { type DeploymentStatus, type Supervision, TargetFailure } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";
import type { TargetLinks } from "./target-links.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly host: string;
  readonly addressHost: string;
  readonly log: Log;
  readonly links: TargetLinks;
  readonly health: DeploymentHealth;
  readonly folders: ReleaseFolders;
  readonly containers: Pick<Containers, "remove" | "restore">;
  readonly minuteMs: number;
  readonly maxDiskBytes: number;
  readonly sandbox: Pick<Sandbox, "runCommand">;
  readonly findSecrets: FindSecrets;
  readonly findDocument: FindDocument;
  readonly openLog: OpenProjectLog;
  readonly news: DeploymentNews;
}

/** Brings what runs in line with what the database says people want. */
export class DeploymentSettler {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The deployments of this node: those it should have, and those that the supervisor still has. */
  async findAll(): Promise<readonly string[]> {
    const { db, host, links } = this.#deps;
    const wanted = (await selectDeploymentsOf(db, host)).map(({ id }) => id);
    const running = await Promise.all(links.all.map((link) => this.#listed(link)));
    const ids = running.flat().map(({ deploymentId }) => deploymentId);
    return [...new Set([...wanted, ...ids, ...(await selectRemoved(db, host))])];
  }

  /** Aborted, it ends as soon as it can, and leaves the rest to the next one. */
  async settle(deploymentId: string, signal: AbortSignal): Promise<void> {
    const { db, clock, host, health } = this.#deps;
    const row = await findDeployment(db, deploymentId);
    if (row === undefined) return this.#clear(deploymentId);
    if (row.host !== host) return;
    const link = await this.#linkOf(row);
    if (link === undefined) return;
    const supervision = await link.find();
    const look = health.look(row);
    const seen = (await supervision?.list())?.find((one) => one.deploymentId === deploymentId);
    if (seen !== undefined) {
      await this.#noteTraffic(seen);
      await this.#endFailed(supervision!, row, seen);
    }
    // The first version is not live yet.
    if (row.release_id === null && row.wanted === "running") return;
    const release = row.release_id ? await findRelease(db, row.release_id) : undefined;
    if (release === undefined || row.wanted === "stopped") {
      if (seen !== undefined) await supervision!.stop(deploymentId);
      await noteHealth(db, deploymentId, { health: "stopped", reason: null, now: clock.now() });
      return;
    }
    if (!(await this.#rollBack(row, release, signal))) return;
    if (release.plan === null) return this.#pointAt(row, release);
    if (seen !== undefined && isLiveIn(seen, release.id))
      await this.#keepAsWanted(supervision!, { row, release, look, seen }, signal);
    else await this.#start(link, { row, release, look, seen }, signal);
  }

  /** Ends versions that failed and still run: their service may have been killed before it could do so. */
  async #endFailed(
    supervision: Supervision,
    row: DeploymentRow,
    { shares, releases }: DeploymentStatus,
  ): Promise<void> {
    const kept = new Set([row.release_id, ...shares.map(({ releaseId }) => releaseId)]);
    for (const { releaseId } of releases) {
      if (kept.has(releaseId) || (await findRelease(this.#deps.db, releaseId))?.status !== "failed") continue;
      await supervision.retire({ deploymentId: row.id, releaseId, afterMs: 0 });
    }
  }

  /** What a target has; one that does not answer must not keep the others from being looked after. */
  async #listed(link: SupervisorLink): Promise<readonly DeploymentStatus[]> {
    try {
      return (await (await link.find())?.list()) ?? [];
    } catch (error) {
      if (!(error instanceof TargetFailure)) throw error;
      this.#deps.log.warn({ err: error }, "A target of deployments does not answer.");
      return [];
    }
  }

  /** How to reach the deployment's target; one that is not declared any more is told of. */
  async #linkOf(row: DeploymentRow): Promise<SupervisorLink | undefined> {
    const { links, health } = this.#deps;
    try {
      return links.of(row.target);
    } catch (error) {
      if (!(error instanceof TargetFailure)) throw error;
      await health.noteHealth(health.look(row), masked(error.message));
      return undefined;
    }
  }

  /** Nobody knows the deployment any more: wherever it is, it ends. */
  async #clear(deploymentId: string): Promise<void> {
    const { db, host, links, folders, containers } = this.#deps;
    const removed = await findRemoved(db, deploymentId, host);
    // The database may be the wrong one: then it ends where it is seen, and nothing is removed. Machines come before the
    // supervisor of this one, which has the tunnels to them.
    for (const link of removed === undefined ? links.all.toReversed() : [links.of(removed.target)]) {
      const isSeen = (await this.#listed(link)).some((one) => one.deploymentId === deploymentId);
      if (isSeen) await (await link.find())?.stop(deploymentId);
      // A supervisor of this machine is not started for it: it has nothing to forget.
      if (removed !== undefined && removed.target !== "process") await (await link.get()).forget?.(deploymentId);
    }
    if (removed === undefined) return;
    await folders.remove(deploymentId);
    await containers.remove(deploymentId);
    await forgetRemoved(db, deploymentId);
  }

  /** The new version broke a promise: the version before is wanted again, or nothing at all. */
  async takeBack(deploymentId: string, releaseId: string, reason: Masked): Promise<void> {
    const { db, clock, health } = this.#deps;
    const before = await health.wantBefore(deploymentId, releaseId, reason);
    if (before === undefined) await stopWanting(db, deploymentId, clock.now());
    await noteFailed(db, releaseId, reason, clock.now());
  }

  /** Runs the script of a rollback, and tells if it fails; false: then the version that was live stays so. */
  async #rollBack(row: DeploymentRow, to: ReleaseRow, signal: AbortSignal): Promise<boolean> {
    const { db, clock, news } = this.#deps;
    const fromId = row.rolled_back_from;
    if (fromId === null) return true;
    const from = await findRelease(db, fromId);
    const reason = from && (await runRollback(this.#deps, { row, from, to, signal }));
    await noteRollbackRun(db, row.id, fromId);
    if (from === undefined || reason === undefined) return true;
    // Programs are switched all the same: the version that is left is worse than a script that failed.
    const isDone = to.plan !== null;
    const error = { code: "rollback_script_failed", message: reason };
    const about = { environment: row.environment, version: from.version, error };
    await db.transaction().execute(async (trx) => {
      await news.append(trx, from.project_id, "deployment.failed", about);
      if (!isDone) await wantRelease(trx, row.id, { releaseId: from.id, now: clock.now() });
    });
    news.appended(from.project_id);
    if (!isDone) await noteFailed(db, to.id, reason, clock.now());
    return isDone;
  }

  /** What does not run is live as soon as the path leads to it. */
  async #pointAt(row: DeploymentRow, release: ReleaseRow): Promise<void> {
    const ref = { deploymentId: row.id, releaseId: release.id };
    if (!(await this.#pointed(row, release)))
      return this.#deps.health.noteHealth(ref, ownWords`The disk is full: its path still leads elsewhere.`);
    if (release.status !== "live" || row.health !== "healthy") await this.#noteLive(row, release, row, "healthy");
  }

  async #keepAsWanted(
    supervision: Supervision,
    { row, release, look, seen }: Seen,
    signal: AbortSignal,
  ): Promise<void> {
    const { db, health } = this.#deps;
    const ref = { deploymentId: row.id, releaseId: release.id };
    if (row.restart_asked_at !== null) {
      const restarted = await supervision.restart(ref, signal);
      await noteRestarted(db, row.id, row.restart_asked_at);
      if (restarted.is === "failed") return health.noteIll(ref, restarted.reason);
    }
    const programs = seen.releases.find(({ releaseId }) => releaseId === release.id)!.programs;
    const entry = release.plan!.programs.at(-1)!.name;
    if (release.status !== "live") await this.#noteLive(row, release, seen);
    // It may have been live when the disk was full.
    else await this.#pointed(row, release);
    if (programs.filter(({ name }) => name === entry).length !== row.replicas) {
      const scaled = await supervision.scale({ ...ref, replicas: row.replicas }, signal);
      const what = row.replicas === 1 ? ownWords`1 copy` : ownWords`${row.replicas} copies`;
      // The next round tries again.
      if (scaled.is === "failed") return health.noteHealth(ref, ownWords`It cannot run ${what}: ${scaled.reason}`);
    }
    const unwell = programs.find(({ reason }) => reason !== null);
    if (unwell?.reason) return health.noteIll(look, unwell.reason);
    await health.noteHealth(look, null);
  }

  /** Starts the wanted version and sends the requests to it; a version that runs already takes over at once. */
  async #start(link: SupervisorLink, { row, release, look, seen }: MaybeSeen, signal: AbortSignal): Promise<void> {
    const { db, clock, health, addressHost, findSecrets, folders } = this.#deps;
    const serving = seen?.shares[0]?.releaseId;
    if (serving === undefined && row.health !== "unhealthy")
      await noteHealth(db, row.id, { health: "starting", reason: null, now: clock.now() });
    const secrets = await findSecrets(release.project_id, row.environment);
    if ("message" in secrets) return this.#notStarted(row, release, serving, masked(secrets.message));
    const ref = { deploymentId: row.id, releaseId: release.id };
    const restored = await this.#restore(release, secrets.values, signal);
    if ("failure" in restored) return this.#notStarted(row, release, serving, masked(restored.failure, secrets.values));
    const supervision = await link.get();
    const limits = { ...restored.plan.limits, diskBytes: this.#deps.maxDiskBytes };
    // Plans that were kept before versions named their folder have none.
    const folder = folders.release(row.id, release.id);
    const plan = { ...{ folder }, ...restored.plan, limits, replicas: row.replicas };
    const result = await supervision.prepare({ ...ref, plan, secrets: secrets.values }, signal);
    if (result.is === "failed") return this.#notStarted(row, release, serving, result.reason);
    const routed = await supervision.route({
      deploymentId: row.id,
      address: { host: addressHost, port: row.port ?? 0 },
      shares: [{ releaseId: release.id, weight: 1 }],
    });
    if (serving !== undefined && serving !== release.id)
      await supervision.retire({ deploymentId: row.id, releaseId: serving, afterMs: await this.#warmMs(row, release) });
    await this.#noteLive(row, release, routed);
    // It was started just now.
    if (row.restart_asked_at !== null) await noteRestarted(db, row.id, row.restart_asked_at);
    await health.noteHealth(look, null);
  }

  /** What the version needs beside its files may be gone. */
  async #restore(
    { deployment_id: deploymentId, id: releaseId, kind, usage, plan }: ReleaseRow,
    secrets: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) {
    const { db, folders, containers } = this.#deps;
    const folder = folders.release(deploymentId, releaseId);
    const restored = await containers.restore({ deploymentId, releaseId, folder, plan: plan!, secrets, signal });
    if ("plan" in restored && restored.plan !== plan)
      await describeRelease(db, releaseId, { kind, usage, plan: restored.plan });
    return restored;
  }

  /** What served the requests until now goes on to; if nothing did, the next round tries again. */
  async #notStarted(row: DeploymentRow, release: ReleaseRow, serving: string | undefined, reason: Masked) {
    const { db, clock, health } = this.#deps;
    if (serving === undefined || serving === release.id)
      return health.noteIll({ deploymentId: row.id, releaseId: release.id }, reason);
    await wantRelease(db, row.id, { releaseId: serving, now: clock.now() });
    await noteFailed(db, release.id, reason, clock.now());
  }

  async #noteLive(
    row: DeploymentRow,
    release: ReleaseRow,
    { port, url = null }: SeenAddress,
    health?: "healthy",
  ): Promise<void> {
    const { db, clock } = this.#deps;
    const live = { deploymentId: row.id, releaseId: release.id, port, url, now: clock.now(), wasWanted: true } as const;
    await db.transaction().execute((trx) => noteLive(trx, { ...live, health }));
    await this.#pointed(row, release);
  }

  /** Whether the stable path leads to the version; a full disk is told, and a later round tries again. */
  async #pointed(row: DeploymentRow, release: ReleaseRow): Promise<boolean> {
    const { folders, log } = this.#deps;
    const [current, folder] = [folders.current(row.id), folders.release(row.id, release.id)];
    try {
      if ((await currentFolder(current)) !== folder) await pointCurrent(current, folder);
      return true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      log.warn({ deployment_id: row.id }, "The disk is full: the path of what is live could not be changed.");
      return false;
    }
  }

  async #warmMs(row: DeploymentRow, release: ReleaseRow): Promise<number> {
    const { guardrails } = await this.#deps.findDocument(release.project_id, row.environment);
    return guardrails.deployment.rollback_timeout_minutes * this.#deps.minuteMs;
  }

  async #noteTraffic({ traffic }: DeploymentStatus): Promise<void> {
    for (const { release, requests, failed, dropped, p99Ms } of traffic)
      if (requests > 0) await noteTraffic(this.#deps.db, release, { requests, failed, dropped, p99_ms: p99Ms });
  }
}

type SeenAddress = { readonly port: number | null; readonly url?: string | null };

interface Seen {
  readonly row: DeploymentRow;
  readonly release: ReleaseRow;
  readonly look: Look;
  readonly seen: DeploymentStatus;
}

type MaybeSeen = Omit<Seen, "seen"> & { readonly seen: DeploymentStatus | undefined };

/** Whether all requests go to this version, and it was well at least once. */
function isLiveIn({ port, url, shares, releases }: DeploymentStatus, releaseId: string): boolean {
  const [only, ...others] = shares;
  const isReady = releases.some((one) => one.releaseId === releaseId && one.isReady);
  return (port !== null || url !== undefined) && isReady && only?.releaseId === releaseId && others.length === 0;
}

/** A reason that others gave, as people may see it. */
function masked(reason: string, secrets: Readonly<Record<string, string>> = {}): Masked {
  return new Masker(Object.values(secrets)).mask(reason);
}
