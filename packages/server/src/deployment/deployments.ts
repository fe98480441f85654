import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { CompleteSpec } from "@slipway/spec";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Failure } from "../platform/errors/index.ts";
import { newId } from "../platform/ids.ts";
import type { Log } from "../platform/log/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import type { Containers } from "./containers/index.ts";
import type { FindDocument, FindSecrets } from "./find-document.ts";
import { type DeploymentTarget, findTarget, type UnservedRequest, unservedRequests } from "./find-target.ts";
import { type DeploymentResult, Launcher } from "./go-live.ts";
import { DeploymentHealth, type DeploymentNews } from "./health.ts";
import { keptReleases } from "./kept-releases.ts";
import type { OpenRelease, ToGoLive } from "./open-release.ts";
import { ReleaseFolders } from "./release-folders.ts";
import type { PublishedRelease } from "./releases/index.ts";
import { holdsSecret, linkSealed, sealFiles, unsealFiles } from "./sealed-files.ts";
import { DeploymentSettler } from "./settle-deployments.ts";
import { deploymentUrl } from "./show-state.ts";
import { findDeployment, noteFailed, noteSealed, openRelease, selectReleases, selectSealed } from "./store.ts";
import { type SupervisorEvent, TargetFailure } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";
import { TargetLinks } from "./target-links.ts";
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
  /** The ways to deploy that the operator allows; the first is for documents that ask for none. */
  readonly targets: readonly DeploymentTarget[];
  readonly containers: Containers;
  /** How to reach each place where versions run, by its name: `process`, and those that the operator declared. */
  readonly openTargets: (
    onEvent: (event: SupervisorEvent) => void,
    onGone: () => void,
  ) => ReadonlyMap<string, SupervisorLink>;
  /** The secrets of a project's document for an environment, or why they cannot be had. */
  readonly findSecrets: FindSecrets;
  /** How the document of a project wants failures answered in an environment. */
  readonly findDocument: FindDocument;
  /** Where the output of deployed software goes. */
  readonly writeLog: (projectId: string, source: string, text: string) => void;
  readonly news: DeploymentNews;
  readonly minuteMs: number;
  /** What the files and data of a deployment may take up. */
  readonly maxDiskBytes: number;
}

interface ReleaseToOpen {
  readonly projectId: string;
  /** Counts the project's attempts to deploy; the same when one is repeated after a crash. */
  readonly attempt: number;
  readonly environment: string;
  readonly version: string;
  readonly strategy: string;
  /** Says where it goes. */
  readonly document: CompleteSpec;
}

/** Names the content of a commit. */
export function versionOf(commit: string): string {
  return createHash("sha256").update(commit).digest("hex").slice(0, 12);
}

/** What is deployed on this node: goes live, is kept alive by the supervisor, is switched, stopped and removed. */
export class Deployments {
  readonly #deps: DeploymentsDeps;
  readonly #folders: ReleaseFolders;
  readonly #links: TargetLinks;
  readonly #turns = new Turns();
  /** What is being settled, by deployment. */
  readonly #settling = new Map<string, AbortController>();
  /** Those that the last rounds have not done with. */
  readonly #inRounds = new Set<string>();
  readonly #ending = new AbortController();
  readonly #health: DeploymentHealth;
  readonly #settler: DeploymentSettler;
  readonly #launcher: Launcher;

  constructor(deps: DeploymentsDeps) {
    this.#deps = deps;
    this.#folders = new ReleaseFolders(deps.folder);
    this.#health = new DeploymentHealth(deps, (deploymentId) => void this.settle(deploymentId));
    this.#links = new TargetLinks(
      deps.openTargets(
        (event) => this.#health.note(event),
        () => void this.settleAll().catch((error) => deps.log.warn({ err: error }, "settling what is deployed failed")),
      ),
    );
    const parts = { ...deps, links: this.#links, health: this.#health, folders: this.#folders };
    this.#settler = new DeploymentSettler(parts);
    this.#launcher = new Launcher(parts);
  }

  /** What the document asks for about where it is deployed that nothing here serves. */
  unserved(document: Pick<CompleteSpec, "deployment" | "scripts">): Promise<UnservedRequest[]> {
    return unservedRequests(this.#deps.targets, document);
  }

  /** Names the data folder that deployments of this node live in. */
  get host(): string {
    return this.#deps.host;
  }

  /** Opens a version of the project's application, and makes room for its files. */
  async open({ document, ...toOpen }: ReleaseToOpen): Promise<OpenRelease | NotOpened> {
    const { db, clock, host, targets } = this.#deps;
    const isScripted = document.scripts?.deploy !== undefined;
    const target = (isScripted ? undefined : findTarget(targets, document)?.at) ?? "process";
    const now = clock.now();
    const { version } = toOpen;
    const ids = { deploymentId: newId("deployment", now.getTime()), releaseId: newId("release", now.getTime()) };
    const row = await db.transaction().execute((trx) => openRelease(trx, { ...toOpen, ...ids, host, target, now }));
    if ("elsewhere" in row) return { ...livesElsewhere, host: row.elsewhere };
    const deployment = await findDeployment(db, row.deployment_id);
    if (deployment !== undefined && deployment.target !== target) return atAnotherTarget(deployment.target, target);
    const isLive = row.status === "live" && deployment?.release_id === row.id;
    const { deployment_id: deploymentId, id: releaseId, usage } = row;
    // What a service that was killed has left of it must not run from files that are made anew.
    const failure = isLive ? undefined : await this.#endLeft(target, { deploymentId, releaseId });
    if (failure !== undefined) return failure;
    const folder = isLive
      ? this.#folders.release(deploymentId, releaseId)
      : await this.#folders.makeRelease(deploymentId, releaseId);
    const live =
      isLive && deployment !== undefined
        ? { version, usage, url: deploymentUrl(this.#deps.addressHost, deployment) ?? "" }
        : undefined;
    return { deploymentId, releaseId, version, folder, current: this.#folders.current(deploymentId), live };
  }

  /** Keeps the files of a version as they were built, for other environments; says why they must not go there. */
  async seal(
    release: OpenRelease,
    { published, secrets, signal }: Pick<ToGoLive, "published" | "secrets" | "signal">,
  ): Promise<string | undefined> {
    const { deploymentId, releaseId, folder, current } = release;
    const file = this.#folders.sealed(deploymentId, releaseId);
    const digest = await sealFiles(folder, file, signal);
    if (await holdsSecret(file, Object.values(secrets))) return "They hold the value of a secret of this environment.";
    await noteSealed(this.#deps.db, releaseId, { digest, current, published: published ?? null });
    return undefined;
  }

  /** Fills an open version with the very files that the project has live elsewhere; says what they are, or why it cannot. */
  async fill(
    release: OpenRelease,
    projectId: string,
    signal: AbortSignal,
  ): Promise<{ readonly digest: string; readonly published: PublishedRelease | undefined } | { failure: string }> {
    const { db, host } = this.#deps;
    const { deploymentId, releaseId, version, folder, current } = release;
    const sealed = this.#folders.sealed(deploymentId, releaseId);
    for (const source of await selectSealed(db, { projectId, version, host })) {
      const { digest, published, current: before } = source.artifact;
      if (!(await linkSealed(this.#folders.sealed(source.deployment_id, source.id), sealed))) continue;
      const failure = await unsealFiles(sealed, { digest, folder, signal });
      if (failure !== undefined) return { failure };
      const moved = published && { ...published, usage: published.usage.replaceAll(before, current) };
      await noteSealed(db, releaseId, { digest, current, published: moved });
      return { digest, published: moved ?? undefined };
    }
    return {
      failure: `The built files of version ${version} are not kept here; the log of its deployment may say why. Run the document again.`,
    };
  }

  /** Brings an open version live; the version before stays live if that fails. */
  async goLive(release: OpenRelease, toGoLive: ToGoLive): Promise<DeploymentResult> {
    const { deploymentId } = release;
    try {
      return await this.#turns.take(deploymentId, () => this.#launcher.goLive(release, toGoLive), toGoLive.signal);
    } finally {
      await this.#removeOldFiles(deploymentId);
    }
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

  /** Brings a deployment to what people want of it, if it lives here; ends work on it that nobody wants any more. */
  async settle(deploymentId: string): Promise<void> {
    try {
      await this.#endUnwanted(deploymentId);
      await this.#turns.take(deploymentId, () => this.#settleNow(deploymentId), this.#ending.signal);
    } catch (error) {
      if (error instanceof NoLongerWanted) return;
      this.#deps.log.warn({ err: error, deployment_id: deploymentId }, "A deployment could not be settled.");
    }
  }

  /** Ends what is being settled; a service that is started later goes on with it. */
  endSettling(): void {
    this.#ending.abort(new NoLongerWanted());
  }

  /** Ends what an earlier service on this data folder had begun and left. */
  endLeft(): Promise<void> {
    return this.#deps.containers.endLeft();
  }

  /**
   * Brings all deployments of this node to what people want of them: one after the other, for each may start programs. A
   * script or a program that takes its time keeps the others waiting for a moment only.
   */
  async settleAll(): Promise<void> {
    for (const deploymentId of await this.#settler.findAll()) {
      if (this.#ending.signal.aborted) return;
      if (this.#inRounds.has(deploymentId)) continue;
      this.#inRounds.add(deploymentId);
      const settled = this.settle(deploymentId).finally(() => this.#inRounds.delete(deploymentId));
      await Promise.race([settled, delay(patienceMinutes * this.#deps.minuteMs, undefined, { ref: false })]);
    }
  }

  /** Leaves what is deployed to the supervisor. */
  async leave(): Promise<void> {
    this.#health.stop();
    await Promise.all(this.#links.all.map((link) => link.leave()));
  }

  /** Ends what is deployed, until the service is started again. */
  async close(): Promise<void> {
    this.#health.stop();
    await Promise.all(this.#links.all.map((link) => link.close()));
  }

  async #settleNow(deploymentId: string): Promise<void> {
    const work = new AbortController();
    const signal = AbortSignal.any([work.signal, this.#ending.signal]);
    this.#settling.set(deploymentId, work);
    try {
      await this.#settler.settle(deploymentId, signal);
    } catch (error) {
      // However it was noticed.
      signal.throwIfAborted();
      throw error;
    } finally {
      this.#settling.delete(deploymentId);
    }
  }

  /** A script of a rollback may run for days, and a program take as long to start: who stops it does not wait for that. */
  async #endUnwanted(deploymentId: string): Promise<void> {
    const work = this.#settling.get(deploymentId);
    if (work === undefined) return;
    const row = await findDeployment(this.#deps.db, deploymentId);
    if (row === undefined || row.wanted === "stopped") work.abort(new NoLongerWanted());
  }

  async #endLeft(target: string, release: { deploymentId: string; releaseId: string }): Promise<Failure | undefined> {
    try {
      await (await this.#links.of(target).find())?.retire({ ...release, afterMs: 0 });
      return undefined;
    } catch (error) {
      if (!(error instanceof TargetFailure)) throw error;
      return { code: "deployment_failed", message: error.message };
    }
  }

  /** Keeps the files of the version that is live, and of those that can be gone back to. */
  async #removeOldFiles(deploymentId: string): Promise<void> {
    const kept = keptReleases(await selectReleases(this.#deps.db, deploymentId, 100));
    await this.#folders.keepOnly(deploymentId, kept);
    await this.#deps.containers.keepOnly(deploymentId, kept);
  }
}

/** How long the next deployment waits for one that is being settled. */
const patienceMinutes = 1 / 30;

class NoLongerWanted extends Error {
  override readonly name = "NoLongerWanted";
}

function atAnotherTarget(target: string, wanted: string): Failure {
  const message = `The application is deployed to '${target}', and its document now says '${wanted}'. Remove the deployment ('slipway apps rm') before deploying it there: its data does not move by itself.`;
  return { code: "deployment_failed", message };
}

/** Why a version cannot be opened here: with a host, its deployment lives in the data folder of that node. */
interface NotOpened extends Failure {
  readonly host?: string;
}

const livesElsewhere: Failure = {
  code: "deployment_failed",
  message:
    "The application's deployment lives in the data folder of another node. Stop that node's, or remove the deployment there, before deploying from here.",
};
