import { setTimeout as delay } from "node:timers/promises";
import type { SocketConnection } from "../client-config.ts";
import type { Log } from "../log.ts";
import { retryDelayMs } from "../retry-delay.ts";
import { findBinaries } from "./binaries.ts";
import { openDataFolder } from "./data-folder.ts";
import { placeDatabase } from "./database-place.ts";
import { explainFileError } from "./explain-failure.ts";
import { initialise } from "./initialise.ts";
import { bringUp, type Postmaster, type PostmasterPlan } from "./postmaster.ts";
import { shutDown } from "./shut-down.ts";

export interface StartOptions {
  /** The data folder; the database is in its `postgres`. */
  readonly folder: string;
  readonly log: Log;
  /** Settings of Postgres that differ from ours. */
  readonly settings?: Readonly<Record<string, string>>;
}

const restartPace = { firstMs: 50, maxMs: 5_000 };
/** One that lived this long did not die of how it was started. */
const healthyMs = 30_000;

/** Starts the bundled Postgres on a data folder, or adopts the one that an earlier process left running there. */
export async function startEmbeddedPostgres({ folder, log, settings = {} }: StartOptions): Promise<EmbeddedPostgres> {
  const dataFolder = await openDataFolder(folder);
  try {
    const place = await placeDatabase(dataFolder, log);
    const binaries = await findBinaries(place);
    await initialise(binaries, place);
    const plan = { binaries, place, settings, log };
    const postmaster = await bringUp(plan);
    const { pid, wasAdopted } = postmaster;
    log.info({ pid, wasAdopted, folder: place.home }, "The database runs.");
    return new EmbeddedPostgres(plan, postmaster);
  } catch (error) {
    throw explainFileError(error, dataFolder);
  }
}

/** A running Postgres that is started again whenever it dies, until it is stopped or left alone. */
export class EmbeddedPostgres {
  readonly connection: SocketConnection;
  readonly wasAdopted: boolean;
  /** Where the database's files are. */
  readonly folder: string;
  readonly #plan: PostmasterPlan;
  readonly #log: Log;
  readonly #over = new AbortController();
  #postmaster: Postmaster;
  #restarting: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(plan: PostmasterPlan, postmaster: Postmaster) {
    this.connection = postmaster.connection;
    this.wasAdopted = postmaster.wasAdopted;
    this.folder = plan.place.home;
    this.#plan = plan;
    this.#log = plan.log;
    this.#postmaster = postmaster;
    void this.#keepRunning();
  }

  get pid(): number {
    return this.#postmaster.pid;
  }

  /** Ends it and waits until it is gone; what was committed is on the disk. */
  stop(): Promise<void> {
    this.#over.abort();
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Lets it run on by itself: for a process that found the folder to be another one's. */
  leave(): void {
    this.#over.abort();
  }

  async #stop(): Promise<void> {
    await this.#restarting;
    await shutDown(this.#postmaster, this.#log);
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#over;
    for (let attempt = 0; ; attempt += 1) {
      const since = Date.now();
      await this.#postmaster.gone;
      if (signal.aborted) return;
      if (Date.now() - since > healthyMs) attempt = 0;
      this.#log.warn({ pid: this.pid }, "The database ended unexpectedly; starting it again.");
      this.#restarting = this.#restart(attempt);
      await this.#restarting;
    }
  }

  async #restart(earlier: number): Promise<void> {
    const { signal } = this.#over;
    for (let attempt = earlier; !signal.aborted; attempt += 1) {
      try {
        if (attempt > 0) await delay(retryDelayMs(attempt, restartPace), undefined, { signal });
        this.#postmaster = await bringUp(this.#plan);
        this.#log.info({ pid: this.pid }, "The database runs again.");
        return;
      } catch (error) {
        if (!signal.aborted) this.#log.error({ err: error }, "The database did not start; trying again.");
      }
    }
  }
}
