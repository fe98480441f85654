import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import type { Containers } from "./containers/index.ts";
import type { FindDocument, FindSecrets } from "./find-document.ts";
import type { DeploymentHealth, DeploymentNews } from "./health.ts";
import type { ReleaseFolders } from "./release-folders.ts";
import { pointCurrent } from "./releases/index.ts";
import { runRollback } from "./run-rollback.ts";
import {
  type DeploymentRow,
  describeRelease,
  findDeployment,
  findRelease,
  forgetRemoved,
  isRemoved,
  noteFailed,
  noteHealth,
  noteLive,
  noteRestarted,
  noteRollbackRun,
  noteTraffic,
  type ReleaseRow,
  selectDeploymentsOf,
  selectRemoved,
  stopWanting,
  wantRelease,
} from "./store.ts";
import type { DeploymentStatus, Supervision } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly host: string;
  readonly addressHost: string;
  readonly link: SupervisorLink;
  readonly health: DeploymentHealth;
  readonly folders: ReleaseFolders;
  readonly containers: Pick<Containers, "remove" | "restore">;
  readonly minuteMs: number;
  readonly maxDiskBytes: number;
  readonly sandbox: Pick<Sandbox, "runCommand">;
  readonly findSecrets: FindSecrets;
  readonly findDocument: FindDocument;
  readonly writeLog: (projectId: string, source: string, text: string) => void;
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
    const { db, host, link } = this.#deps;
    const wanted = (await selectDeploymentsOf(db, host)).map(({ id }) => id);
    const running = ((await (await link.find())?.list()) ?? []).map(({ deploymentId }) => deploymentId);
    return [...new Set([...wanted, ...running, ...(await selectRemoved(db, host))])];
  }

  async settle(deploymentId: string): Promise<void> {
    const { db, clock, host, link } = this.#deps;
    const row = await findDeployment(db, deploymentId);
    if (row !== undefined && row.host !== host) return;
    const supervision = await link.find();
    const seen = (await supervision?.list())?.find((one) => one.deploymentId === deploymentId);
    if (seen !== undefined) await this.#noteTraffic(seen);
    // The first version is not live yet.
    if (row?.release_id === null && row.wanted === "running") return;
    const release = row?.release_id ? await findRelease(db, row.release_id) : undefined;
    if (row === undefined || release === undefined || row.wanted === "stopped") {
      if (seen !== undefined) await supervision!.stop(deploymentId);
      if (row === undefined) await this.#removeFiles(deploymentId);
      else await noteHealth(db, deploymentId, { health: "stopped", reason: null, now: clock.now() });
      return;
    }
    if (row.rolled_back_from !== null && !(await this.#rollBack(row, row.rolled_back_from, release))) return;
    if (release.plan === null) return this.#pointAt(row, release);
    if (seen !== undefined && isLiveIn(seen, release.id))
      await this.#keepAsWanted(supervision!, { row, release, seen });
    else await this.#start(row, release, seen);
  }

  /** Only of what somebody removed: a database that knows nothing of it may be the wrong one. */
  async #removeFiles(deploymentId: string): Promise<void> {
    const { db, host, folders, containers } = this.#deps;
    if (!(await isRemoved(db, deploymentId, host))) return;
    await folders.remove(deploymentId);
    await containers.remove(deploymentId);
    await forgetRemoved(db, deploymentId);
  }

  /** The new version broke a promise: the version before is wanted again, or nothing at all. */
  async takeBack(deploymentId: string, releaseId: string, reason: string): Promise<void> {
    const { db, clock, health } = this.#deps;
    const before = await health.wantBefore(deploymentId, releaseId, reason);
    if (before === undefined) await stopWanting(db, deploymentId, clock.now());
    await noteFailed(db, releaseId, reason, clock.now());
  }

  /** Runs the script of a rollback, and tells if it fails; false: then the version that was live stays so. */
  async #rollBack(row: DeploymentRow, fromId: string, to: ReleaseRow): Promise<boolean> {
    const { db, clock, news } = this.#deps;
    const from = await findRelease(db, fromId);
    const reason = from && (await runRollback(this.#deps, { row, from, to }));
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
    const { folders } = this.#deps;
    await pointCurrent(folders.current(row.id), folders.release(row.id, release.id));
    if (release.status !== "live" || row.health !== "healthy")
      await this.#noteLive({ ...row, health: "healthy" }, release, row.port);
  }

  async #keepAsWanted(supervision: Supervision, { row, release, seen }: Seen): Promise<void> {
    const { db, health } = this.#deps;
    const ref = { deploymentId: row.id, releaseId: release.id };
    if (row.restart_asked_at !== null) {
      const restarted = await supervision.restart(ref);
      await noteRestarted(db, row.id, row.restart_asked_at);
      if (restarted.is === "failed") return health.noteHealth(row.id, release.id, restarted.reason);
    }
    const programs = seen.releases.find(({ releaseId }) => releaseId === release.id)!.programs;
    const entry = release.plan!.programs.at(-1)!.name;
    if (release.status !== "live") await this.#noteLive(row, release, seen.port);
    if (programs.filter(({ name }) => name === entry).length !== row.replicas) {
      const scaled = await supervision.scale({ ...ref, replicas: row.replicas });
      const what = row.replicas === 1 ? "1 copy" : `${row.replicas} copies`;
      // The next round tries again.
      if (scaled.is === "failed")
        return health.noteHealth(row.id, release.id, `It cannot run ${what}: ${scaled.reason}`);
    }
    const unwell = programs.find(({ reason }) => reason !== null);
    await health.noteHealth(row.id, release.id, unwell?.reason ?? null);
  }

  /** Starts the wanted version and sends the requests to it; a version that runs already takes over at once. */
  async #start(row: DeploymentRow, release: ReleaseRow, seen: DeploymentStatus | undefined): Promise<void> {
    const { db, clock, health, link, addressHost, findSecrets } = this.#deps;
    const serving = seen?.shares[0]?.releaseId;
    if (serving === undefined && row.health !== "unhealthy")
      await noteHealth(db, row.id, { health: "starting", reason: null, now: clock.now() });
    const secrets = await findSecrets(release.project_id, row.environment);
    if ("message" in secrets) return this.#notStarted(row, release, serving, secrets.message);
    const ref = { deploymentId: row.id, releaseId: release.id };
    const restored = await this.#restore(release);
    if ("failure" in restored) return this.#notStarted(row, release, serving, restored.failure);
    const supervision = await link.get();
    const limits = { ...restored.plan.limits, diskBytes: this.#deps.maxDiskBytes };
    const plan = { ...restored.plan, limits, replicas: row.replicas };
    const result = await supervision.prepare({ ...ref, plan, secrets: secrets.values });
    if (result.is === "failed") return this.#notStarted(row, release, serving, result.reason);
    const { port } = await supervision.route({
      deploymentId: row.id,
      address: { host: addressHost, port: row.port ?? 0 },
      shares: [{ releaseId: release.id, weight: 1 }],
    });
    if (serving !== undefined && serving !== release.id)
      await supervision.retire({ deploymentId: row.id, releaseId: serving, afterMs: await this.#warmMs(row, release) });
    await this.#noteLive(row, release, port);
    // It was started just now.
    if (row.restart_asked_at !== null) await noteRestarted(db, row.id, row.restart_asked_at);
    await health.noteHealth(row.id, release.id, null);
  }

  /** What the version needs beside its files may be gone. */
  async #restore({ deployment_id: deploymentId, id: releaseId, kind, usage, plan }: ReleaseRow) {
    const { db, folders, containers } = this.#deps;
    const folder = folders.release(deploymentId, releaseId);
    const restored = await containers.restore({ deploymentId, releaseId, folder, plan: plan! });
    if ("plan" in restored && restored.plan !== plan)
      await describeRelease(db, releaseId, { kind, usage, plan: restored.plan });
    return restored;
  }

  /** What served the requests until now goes on to; if nothing did, the next round tries again. */
  async #notStarted(row: DeploymentRow, release: ReleaseRow, serving: string | undefined, reason: string) {
    const { db, clock, health } = this.#deps;
    if (serving === undefined || serving === release.id) return health.noteHealth(row.id, release.id, reason);
    await wantRelease(db, row.id, { releaseId: serving, now: clock.now() });
    await noteFailed(db, release.id, reason, clock.now());
  }

  async #noteLive(row: DeploymentRow, release: ReleaseRow, port: number | null): Promise<void> {
    const { db, clock, folders } = this.#deps;
    const live = { deploymentId: row.id, releaseId: release.id, port, now: clock.now(), wasWanted: true } as const;
    // Unhealthy until it is told otherwise: then the event log hears of the recovery.
    await db.transaction().execute((trx) => noteLive(trx, { ...live, health: row.health }));
    await pointCurrent(folders.current(row.id), folders.release(row.id, release.id));
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

interface Seen {
  readonly row: DeploymentRow;
  readonly release: ReleaseRow;
  readonly seen: DeploymentStatus;
}

/** Whether all requests go to this version, and it was well at least once. */
function isLiveIn({ port, shares, releases }: DeploymentStatus, releaseId: string): boolean {
  const [only, ...others] = shares;
  const isReady = releases.some((one) => one.releaseId === releaseId && one.isReady);
  return port !== null && isReady && only?.releaseId === releaseId && others.length === 0;
}
