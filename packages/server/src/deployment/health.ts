import { setTimeout as delay } from "node:timers/promises";
import type { EventData } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import type { Clock } from "../platform/clock.ts";
import { type Database, isDatabaseUnavailable, type Transaction } from "../platform/database/index.ts";
import type { Log } from "../platform/log/index.ts";
import { RecentMap } from "../platform/recent-map.ts";
import { type Masked, ownWords } from "../platform/secrets/index.ts";
import type { FindDocument } from "./find-document.ts";
import { findPreviousRelease, findRelease } from "./release-store.ts";
import { deploymentUrl } from "./show-state.ts";
import { type DeploymentRow, findDeployment, lockDeployment, noteHealth } from "./store.ts";
import type { ReleaseRef, SupervisorEvent } from "./supervisor/index.ts";
import { goBack } from "./want-earlier-version.ts";

type NewsName = "deployment.failed" | "deployment.unhealthy" | "deployment.recovered" | "deployment.rolled_back";

/** Tells of deployments in the event log of projects. */
export interface DeploymentNews {
  append<N extends NewsName>(trx: Transaction, projectId: string, name: N, data: EventData<N>): Promise<void>;
  /** Called after the transaction was committed. */
  appended(projectId: string): void;
}

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly addressHost: string;
  readonly minuteMs: number;
  readonly news: DeploymentNews;
  readonly findDocument: FindDocument;
  readonly writeLog: (projectId: string, source: string, text: Masked) => void;
}

/** How long a new version may be unhealthy before the version before takes over again. */
const patienceMinutes = 1 / 6;
/** Output that waits while the database is away; more is lost. */
const maxWaitingChars = 8 << 20;
/** What keeping a line takes beside its letters. */
const lineChars = 64;
/** A writer of logs takes pieces. */
const maxPieceChars = 32 << 10;
const lookAgainMs = 500;
/** Finding the project of another version costs a query. */
const maxKnownProjects = 1_000;

/** A look at a version: what it sees is old once the supervisor has told more of its deployment than `told` things. */
export interface Look extends ReleaseRef {
  readonly told: number;
}

type OutputEvent = Extract<SupervisorEvent, { is: "output" }>;
type HealthEvent = Exclude<SupervisorEvent, OutputEvent>;

/** Of a version. What did not fit came after all that waits. */
interface WaitingOutput {
  readonly pieces: Masked[];
  /** As far as they count against what may wait. */
  chars: number;
  leftOut: number;
}

function leftOutNote(chars: number): Masked {
  return chars === 1
    ? ownWords`… 1 more character was left out, because the database did not answer\n`
    : ownWords`… ${chars} more characters were left out, because the database did not answer\n`;
}

/** Notes what the supervisor sees, tells of it, and goes back to the version before where a new one does not recover. */
export class DeploymentHealth {
  readonly #deps: Deps;
  readonly #onWanted: (deploymentId: string) => void;
  /** Of the versions that printed last: without end, one for each version that ever printed would stay. */
  readonly #projects = new RecentMap<string, string>(maxKnownProjects);
  /** How often the supervisor has told something of a deployment's health: versions come and go. */
  readonly #told = new Map<string, number>();
  readonly #canaries = new Map<string, (reason: Masked) => void>();
  readonly #patience = new Map<string, NodeJS.Timeout>();
  /** One after the other, so that what is told is what happened last. */
  #noting: Promise<void> = Promise.resolve();
  readonly #isStopped = new AbortController();
  #waitingChars = 0;
  readonly #output = new Map<string, WaitingOutput>();

  constructor(deps: Deps, onWanted: (deploymentId: string) => void) {
    this.#deps = deps;
    this.#onWanted = onWanted;
  }

  note(event: SupervisorEvent): void {
    if (event.is === "output") this.#noteOutput(event);
    else this.#noteTold(event);
  }

  #noteTold(event: HealthEvent): void {
    this.#told.set(event.deploymentId, this.#toldOf(event.deploymentId) + 1);
    this.#afterOthers(() => this.#note(event), "The health of a deployment could not be noted.");
  }

  #afterOthers(act: () => Promise<void>, ifNot: string): void {
    this.#noting = this.#noting.then(act).catch((error: unknown) => this.#deps.log.warn({ err: error }, ifNot));
  }

  /** A version has one place in the queue, however many lines of it wait. */
  #noteOutput({ releaseId, text }: OutputEvent): void {
    const known = this.#output.get(releaseId);
    const waiting = known ?? { pieces: [], chars: 0, leftOut: 0 };
    const chars = text.length + lineChars;
    if (waiting.leftOut > 0 || this.#waitingChars + chars > maxWaitingChars) waiting.leftOut += text.length;
    else {
      this.#waitingChars += chars;
      waiting.chars += chars;
      const last = waiting.pieces.at(-1);
      if (last === undefined || last.length + text.length > maxPieceChars) waiting.pieces.push(text);
      else waiting.pieces[waiting.pieces.length - 1] = ownWords`${last}${text}`;
    }
    if (known !== undefined) return;
    this.#output.set(releaseId, waiting);
    this.#afterOthers(() => this.#passOutput(releaseId, waiting), "Output of a deployment could not be passed on.");
  }

  async #passOutput(releaseId: string, waiting: WaitingOutput): Promise<void> {
    try {
      const projectId = await this.#whenKnown(releaseId);
      if (projectId === undefined) return;
      for (const piece of waiting.pieces) this.#deps.writeLog(projectId, "app", piece);
      const { leftOut } = waiting;
      if (leftOut > 0) this.#deps.writeLog(projectId, "app", leftOutNote(leftOut));
    } finally {
      this.#output.delete(releaseId);
      this.#waitingChars -= waiting.chars;
    }
  }

  /** Hears, until it is disposed of, with which reason the supervisor takes the canary back. */
  watchCanary(releaseId: string): Disposable & { readonly aborted: Promise<string> } {
    const { promise: aborted, resolve } = Promise.withResolvers<string>();
    this.#canaries.set(releaseId, resolve);
    const leave = () => {
      // An attempt that has lost its job may end after the next one has begun to watch.
      if (this.#canaries.get(releaseId) === resolve) this.#canaries.delete(releaseId);
    };
    return { aborted, [Symbol.dispose]: leave };
  }

  stop(): void {
    this.#isStopped.abort();
    for (const timer of this.#patience.values()) clearTimeout(timer);
    this.#patience.clear();
  }

  /** Begins a look at the version that is wanted. */
  look({ id, release_id }: Pick<DeploymentRow, "id" | "release_id">): Look {
    return { deploymentId: id, releaseId: release_id ?? "", told: this.#toldOf(id) };
  }

  /** Notes that the version that is live is not well; one that does not recover gives way to the version before. */
  async noteIll(seen: ReleaseRef | Look, reason: Masked): Promise<void> {
    await this.noteHealth(seen, reason);
    if (!this.#isOld(seen)) this.#expectRecovery(seen, reason);
  }

  /** Notes whether the version that is live is well; tells of it if that is news. */
  async noteHealth(seen: ReleaseRef | Look, reason: Masked | null): Promise<void> {
    if (this.#isOld(seen)) return;
    const { deploymentId, releaseId } = seen;
    if (reason === null) this.#stopWaiting(releaseId);
    const { db, clock, news } = this.#deps;
    const told = await db.transaction().execute(async (trx) => {
      // What the supervisor tells from here on waits for this.
      const row = await lockDeployment(trx, deploymentId);
      if (this.#isOld(seen) || row?.release_id !== releaseId || row.wanted !== "running") return undefined;
      const health = reason === null ? "healthy" : "unhealthy";
      if (!(await noteHealth(trx, deploymentId, { health, reason, now: clock.now() }))) return undefined;
      // From `starting` to healthy is no news, and neither is another reason.
      if ((row.health === "unhealthy") === (health === "unhealthy")) return undefined;
      if (health === "healthy" && row.health !== "unhealthy") return undefined;
      const release = await findRelease(trx, releaseId);
      if (release === undefined) return undefined;
      const url = deploymentUrl(this.#deps.addressHost, row) ?? "";
      const about = { deployment_id: deploymentId, environment: row.environment, version: release.version, url };
      if (reason === null) await news.append(trx, release.project_id, "deployment.recovered", about);
      else await news.append(trx, release.project_id, "deployment.unhealthy", { ...about, reason });
      return release.project_id;
    });
    if (told !== undefined) news.appended(told);
  }

  /** Makes an earlier version the one that is wanted, and tells of it; undefined if there is none to go back to. */
  async wantBefore(deploymentId: string, releaseId: string, reason: Masked): Promise<string | undefined> {
    const { db, clock, news, addressHost } = this.#deps;
    const told = await db.transaction().execute(async (trx) => {
      const row = await findDeployment(trx, deploymentId);
      const from = await findRelease(trx, releaseId);
      const before = await findPreviousRelease(trx, deploymentId, releaseId);
      if (row?.release_id !== releaseId || from === undefined || before === undefined) return undefined;
      const deps = { clock, addressHost, append: news.append };
      const projectId = await goBack(deps, trx, { row, from, to: before, reason });
      return { projectId, before: before.id };
    });
    if (told === undefined) return undefined;
    news.appended(told.projectId);
    return told.before;
  }

  async #note(event: HealthEvent): Promise<void> {
    const { releaseId } = event;
    switch (event.is) {
      case "canary_aborted":
        this.#canaries.get(releaseId)?.(event.reason);
        return;
      case "unhealthy":
        return this.noteIll(event, event.reason);
      case "recovered":
        return this.noteHealth(event, null);
    }
  }

  #toldOf(deploymentId: string): number {
    return this.#told.get(deploymentId) ?? 0;
  }

  #isOld(seen: ReleaseRef | Look): boolean {
    return "told" in seen && seen.told < this.#toldOf(seen.deploymentId);
  }

  #stopWaiting(releaseId: string): void {
    clearTimeout(this.#patience.get(releaseId));
    this.#patience.delete(releaseId);
  }

  #expectRecovery({ deploymentId, releaseId }: ReleaseRef, reason: Masked): void {
    if (this.#patience.has(releaseId)) return;
    const timer = setTimeout(() => {
      this.#patience.delete(releaseId);
      const giveUp = () => this.#giveUpOn(deploymentId, releaseId, reason);
      this.#afterOthers(giveUp, "A version could not be rolled back.");
    }, patienceMinutes * this.#deps.minuteMs);
    this.#patience.set(releaseId, timer.unref());
  }

  /** A new version that does not recover while the version before could still take over. */
  async #giveUpOn(deploymentId: string, releaseId: string, reason: Masked): Promise<void> {
    const { db, clock, minuteMs, findDocument } = this.#deps;
    const row = await findDeployment(db, deploymentId);
    const release = await findRelease(db, releaseId);
    if (row?.release_id !== releaseId || row.health !== "unhealthy" || !release?.live_at) return;
    const document = await findDocument(release.project_id, row.environment);
    const windowMs = document.guardrails.deployment.rollback_timeout_minutes * minuteMs;
    if (!isAutomatic(document) || clock.now().getTime() - release.live_at.getTime() > windowMs) return;
    const why = ownWords`It was not healthy for ${patienceMinutes * 60} seconds: ${reason}`;
    if ((await this.wantBefore(deploymentId, releaseId, why)) !== undefined) this.#onWanted(deploymentId);
  }

  /** The project of a version; while the database is away, its output waits. */
  async #whenKnown(releaseId: string): Promise<string | undefined> {
    const { signal } = this.#isStopped;
    for (;;) {
      try {
        return await this.#projectOf(releaseId);
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        await delay(lookAgainMs, undefined, { signal, ref: false });
      }
    }
  }

  async #projectOf(releaseId: string): Promise<string | undefined> {
    const known = this.#projects.get(releaseId);
    if (known !== undefined) return known;
    const release = await findRelease(this.#deps.db, releaseId);
    if (release !== undefined) this.#projects.set(releaseId, release.project_id);
    return release?.project_id;
  }
}

/** `deployment.rollback` says otherwise by `false`, or by `automatic: false`. */
function isAutomatic({ deployment }: CompleteSpec): boolean {
  const rollback = deployment?.rollback;
  if (typeof rollback === "object") return (rollback as Record<string, unknown>)["automatic"] !== false;
  return rollback !== false;
}
