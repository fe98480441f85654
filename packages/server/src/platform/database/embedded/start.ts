import { setTimeout as delay } from "node:timers/promises";
import type { SocketConnection } from "../client-config.ts";
import type { Log } from "../log.ts";
import { retryDelayMs } from "../retry-delay.ts";
import { findBinaries } from "./binaries.ts";
import { openDataFolder } from "./data-folder.ts";
import { locateDatabase } from "./database-location.ts";
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
/** After this time, an end has another cause than the start. */
const healthyMs = 30_000;

/** Starts the bundled Postgres on a data folder, or adopts the one that an earlier process left running. */
export async function startEmbeddedPostgres({ folder, log, settings = {} }: StartOptions): Promise<EmbeddedPostgres> {
  const dataFolder = await openDataFolder(folder);
  try {
    const location = await locateDatabase(dataFolder, log);
    const binaries = await findBinaries(location);
    await initialise(binaries, location);
    const plan = { binaries, location, settings, log };
    const postmaster = await bringUp(plan);
    const { pid, wasAdopted } = postmaster;
    log.info({ pid, wasAdopted, folder: location.home }, "The database runs.");
    return new EmbeddedPostgres(plan, postmaster);
  } catch (error) {
    throw explainFileError(error, dataFolder);
  }
}

/** A running Postgres that we restart whenever it dies, until it is stopped or left. */
export class EmbeddedPostgres {
  readonly connection: SocketConnection;
  readonly wasAdopted: boolean;
  /** Where the files of the database are. */
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
    this.folder = plan.location.home;
    this.#plan = plan;
    this.#log = plan.log;
    this.#postmaster = postmaster;
    void this.#keepRunning();
  }

  get pid(): number {
    return this.#postmaster.pid;
  }

  /** Stops it and waits until it has ended; all commits are on disk. */
  stop(): Promise<void> {
    this.#over.abort();
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Lets it run without us: for a process that found another server in the folder. */
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
