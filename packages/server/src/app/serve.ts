import { join } from "node:path";
import { ensureAdmin, requireMasterKeys } from "../features/auth/index.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { type FolderLock, openDataFolder, startListener, takeFolderLock, Waker } from "../platform/database/index.ts";
import { releaseUnfinishedKeys } from "../platform/http/index.ts";
import { createLog, type Log, LogTail } from "../platform/log/index.ts";
import { loadKeyring } from "../platform/secrets/index.ts";
import type { Config } from "./config.ts";
import { createApp } from "./create-app.ts";
import type { EngineOptions } from "./engine.ts";
import { onLauncherGone } from "./launcher.ts";
import { type OpenDatabase, openDatabase, prepareTables } from "./open-database.ts";

/** What differs where the service is tried out: never from a document or a setting. */
export interface ServeDeps {
  readonly clock?: Clock;
  readonly engine?: EngineOptions;
}

/** Starts the service and keeps it running until a signal ends it. */
export async function serve(config: Config, parts: ServeDeps = {}): Promise<void> {
  const tail = new LogTail();
  const service = new Service(config, createLog(config.logLevel, tail), tail, parts);
  const starting = service.start();
  // From the first moment on: a database that is being started must not be left behind.
  const ending = endOnSignal(() => starting.then(() => service.stop()));
  const address = await starting;
  if (!ending.aborted) process.stdout.write(`Slipway is ready at ${address}\n`);
}

/** The parts of the service that run, and how they end. */
class Service {
  readonly #config: Config;
  readonly #log: Log;
  readonly #tail: LogTail;
  readonly #parts: ServeDeps;
  /** The last thing that was started is the first to be stopped. */
  readonly #stops: (() => Promise<unknown>)[] = [];
  #stopping: Promise<void> | undefined;
  #ownsDatabase = true;

  constructor(config: Config, log: Log, tail: LogTail, parts: ServeDeps) {
    this.#config = config;
    this.#log = log;
    this.#tail = tail;
    this.#parts = parts;
  }

  /** Answers where it listens; when it fails, what was started already is stopped. */
  async start(): Promise<string> {
    try {
      await openDataFolder(this.#config.dataFolder);
      const database = await openDatabase(this.#config, this.#log);
      const lock = await this.#lockFolder(database);
      // The lock is the last to go: who took the folder earlier would lose the database at once.
      if (lock !== undefined) this.#stops.push(() => lock.release());
      this.#stops.push(() => this.#endDatabase(database));
      const address = await this.#startDeps(database);
      await lock?.setAddress(address);
      return address;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    for (const end of this.#stops.toReversed())
      await end().catch((error) => this.#log.error({ err: error }, "stopping failed"));
  }

  async #startDeps(database: OpenDatabase): Promise<string> {
    const log = this.#log;
    const { clock = systemClock, engine = {} } = this.#parts;
    const { dataFolder, masterKey, host, port } = this.#config;
    const { db, pool } = database.connected;
    const keyring = await loadKeyring({ variable: masterKey, file: join(dataFolder, "master-key") });
    await prepareTables(database, log);
    await requireMasterKeys(db, keyring);
    if (database.embedded !== undefined) await releaseUnfinishedKeys(db);
    const tokenFile = join(dataFolder, "admin-token");
    const { hasTokenFile } = await ensureAdmin({ db, clock, keyring, file: tokenFile });
    if (!hasTokenFile)
      log.warn(`The administrator's token is not in ${tokenFile}; 'slipway admin-token rotate' makes a new one.`);
    const listener = await startListener({ target: database.target, log });
    this.#stops.push(() => listener.close());
    const waker = new Waker({ query: (text, values) => pool.query(text, values), log });
    this.#stops.push(() => waker.close());
    const channels = {
      wake: waker.wake,
      subscribe: (channel: string, onPayload: (payload: string) => void, onMissed: () => void) =>
        void listener.subscribe(channel, onPayload, onMissed),
    };
    const app = await createApp({ config: this.#config, db, channels, keyring, clock, log, tail: this.#tail, engine });
    this.#stops.push(() => app.http.close());
    const address = await app.http.listen({ host, port });
    this.#stops.push(() => app.stop());
    this.#stops.push(() => app.drain());
    await app.start();
    return address;
  }

  /** One service a folder. Another one that is there is told of, and left alone. */
  async #lockFolder(database: OpenDatabase): Promise<FolderLock | undefined> {
    if (database.embedded === undefined) return undefined;
    try {
      return await takeFolderLock({
        connection: database.embedded.connection,
        folder: this.#config.dataFolder,
        log: this.#log,
        onLost: (refusal) => {
          this.#log.error({ err: refusal }, "another service took the data folder");
          this.#ownsDatabase = false;
          process.exitCode = 1;
          void this.stop();
        },
      });
    } catch (error) {
      this.#ownsDatabase = false;
      await this.#endDatabase(database);
      throw error;
    }
  }

  /** The embedded database ends with its service, unless it is another one's. */
  async #endDatabase({ connected, embedded }: OpenDatabase): Promise<void> {
    if (!this.#ownsDatabase) embedded?.leave();
    await connected.close();
    if (this.#ownsDatabase) await embedded?.stop();
  }
}

/** A signal to a whole process group comes several times: from the sender, and from each launcher that passes it on. */
const sameSignalMs = 2_000;

/** The first signal, or the launcher's end, lets requests finish; a signal that comes later does not wait. Aborted at the first. */
function endOnSignal(end: () => Promise<void>): AbortSignal {
  const ending = new AbortController();
  let firstAtMs = 0;
  const begin = () => {
    if (ending.signal.aborted) return;
    firstAtMs = performance.now();
    ending.abort();
    // A start that fails has its own way to tell.
    end().catch(() => undefined);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (ending.signal.aborted && performance.now() - firstAtMs > sameSignalMs) process.exit(1);
      begin();
    });
  }
  onLauncherGone(begin);
  return ending.signal;
}
