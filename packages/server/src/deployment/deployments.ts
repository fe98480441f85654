import { createHash } from "node:crypto";
import type { CompleteSpec } from "@slipway/spec";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Failure } from "../platform/errors/index.ts";
import { newId } from "../platform/ids.ts";
import type { Log } from "../platform/log/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import { type Masked, Masker, ownWords } from "../platform/secrets/index.ts";
import type { Containers } from "./containers/index.ts";
import type { FindDocument, FindSecrets } from "./find-document.ts";
import { type DeploymentTarget, findTarget, type UnservedRequest, unservedRequests } from "./find-target.ts";
import { type DeploymentResult, Launcher } from "./go-live.ts";
import { DeploymentHealth, type DeploymentNews } from "./health.ts";
import { keptReleases } from "./kept-releases.ts";
import type { OpenRelease, ToGoLive } from "./open-release.ts";
import { ReleaseFolders } from "./release-folders.ts";
import {
  hasBuilt,
  noteFailed,
  noteSealed,
  openRelease,
  type ReleaseRow,
  selectAbandoned,
  selectReleases,
  selectSealed,
} from "./release-store.ts";
import type { PublishedRelease } from "./releases/index.ts";
import type { OpenProjectLog } from "./run-rollback-script.ts";
import { holdsSecret, linkSealed, sealFiles, unsealFiles } from "./sealed-files.ts";
import { DeploymentSettler } from "./settle-deployments.ts";
import { Settling } from "./settling.ts";
import { deploymentUrl } from "./show-state.ts";
import { findDeployment } from "./store.ts";
import { type SupervisorEvent, TargetFailure } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";
import { TargetLinks } from "./target-links.ts";
import { Turns } from "./turns.ts";
import type { BroughtLive } from "./went-live.ts";

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
  /** Where the output of deployed software goes, masked. */
  readonly writeLog: (projectId: string, source: string, text: Masked) => void;
  /** Where the output of scripts goes that nobody's work started. */
  readonly openLog: OpenProjectLog;
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
  readonly #health: DeploymentHealth;
  readonly #settler: DeploymentSettler;
  readonly #settling: Settling;
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
    this.#settling = new Settling({ ...deps, turns: this.#turns, settler: this.#settler });
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
    const ids = { deploymentId: newId("deployment", now.getTime()), releaseId: newId("release", now.getTime()) };
    const opened = await db.transaction().execute((trx) => openRelease(trx, { ...toOpen, ...ids, host, target, now }));
    if ("elsewhere" in opened) return { ...livesElsewhere, host: opened.elsewhere };
    if ("otherTarget" in opened) return atAnotherTarget(opened.otherTarget, target);
    const { row, superseded } = opened;
    const { deployment_id: deploymentId, id: releaseId } = row;
    const folder = this.#folders.release(deploymentId, releaseId);
    const current = this.#folders.current(deploymentId);
    const own = { deploymentId, releaseId, version: row.version, folder, current };
    if (row.status === "live") return { ...own, live: await this.#liveOf(row) };
    for (const left of superseded) {
      const failure = await this.#endLeft(target, { deploymentId, releaseId: left });
      if (failure === undefined) continue;
      await noteFailed(db, releaseId, new Masker([]).mask(failure.message), now);
      return failure;
    }
    await this.#folders.makeRoom(deploymentId).catch(async (error: Error) => {
      await noteFailed(db, releaseId, ownWords`There was no room for its files.`, now);
      throw error;
    });
    return { ...own, live: undefined };
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
    const why = (await hasBuilt(db, { projectId, version }))
      ? `The built files of version ${version} are not kept here; the log of its deployment may say why.`
      : `The deployment that version ${version} was built for was removed, and its files with it.`;
    return { failure: `${why} Run the document again.` };
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

  /** An open version that will not go live: its files could not be made. The reason may quote what its programs said. */
  async giveUp(
    { deploymentId, releaseId }: Pick<OpenRelease, "deploymentId" | "releaseId">,
    { reason, secrets }: { readonly reason: string; readonly secrets: Readonly<Record<string, string>> },
  ): Promise<void> {
    const told = await new Masker(Object.values(secrets)).maskInSlices(reason);
    await noteFailed(this.#deps.db, releaseId, told, this.#deps.clock.now());
    await this.#removeOldFiles(deploymentId);
  }

  /** Goes back to the version before, or stops: the new one has broken a promise after it went live. */
  async takeBack({ deploymentId, releaseId }: OpenRelease, reason: Masked): Promise<void> {
    await this.#settler.takeBack(deploymentId, releaseId, reason);
    await this.settle(deploymentId);
  }

  /** Brings a deployment to what people want of it, if it lives here; ends work on it that nobody wants any more. */
  settle(deploymentId: string): Promise<void> {
    return this.#settling.settle(deploymentId);
  }

  /** Ends what is being settled, at once; resolves when that has ended. */
  endSettling(): Promise<void> {
    return this.#settling.end();
  }

  /** Ends what an earlier service on this data folder had begun and left. */
  endLeft(): Promise<void> {
    return this.#deps.containers.endLeft();
  }

  /** Brings all deployments of this node to what people want of them. */
  async settleAll(): Promise<void> {
    const { db, host } = this.#deps;
    for (const release of await selectAbandoned(db, host))
      await this.giveUp(release, { reason: "Its project ended before it was live.", secrets: {} });
    await this.#settling.settleAll();
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

  async #liveOf({ deployment_id: deploymentId, version, usage, went_live }: ReleaseRow): Promise<BroughtLive> {
    const { db, addressHost } = this.#deps;
    const row = await findDeployment(db, deploymentId);
    const deployment = { version, usage, url: (row && deploymentUrl(addressHost, row)) ?? "" };
    return { deployment, wentLive: went_live ?? undefined };
  }

  /** Ends what a service that was killed has left of a version: it would run beside the one that is made anew. */
  async #endLeft(target: string, release: { deploymentId: string; releaseId: string }): Promise<Failure | undefined> {
    await this.#deps.containers.endLeft(release.releaseId);
    // It may have got the requests already: they go to the version that is live.
    await this.#settling.settleForAMoment(release.deploymentId);
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
