import { join } from "node:path";
import type { Server as TlsServer } from "node:tls";
import type { SignInCode } from "@slipway/contract";
import { createAdminCode, ensureAdmin, requireMasterKeys } from "../features/auth/index.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import {
  type Database,
  type FolderLock,
  openDataFolder,
  startListener,
  takeFolderLock,
  Waker,
} from "../platform/database/index.ts";
import {
  type HttpServer,
  listenLocally,
  readTlsFiles,
  releaseUnfinishedKeys,
  type TlsContext,
  watchTlsFiles,
} from "../platform/http/index.ts";
import { createLog, type Log, LogTail, outliveOutput, takeConsole } from "../platform/log/index.ts";
import { leaveStuckCalls } from "../platform/project-files/index.ts";
import { leaveRemovals } from "../platform/remove-folder.ts";
import { loadKeyring } from "../platform/secrets/index.ts";
import type { Config } from "./config.ts";
import { createApp } from "./create-app.ts";
import type { EngineOptions } from "./create-engine.ts";
import { onLauncherGone } from "./launcher.ts";
import { findLeftRunning } from "./left-running.ts";
import { explainLoss, type OpenDatabase, openDatabase, prepareTables } from "./open-database.ts";
import { requireWholeFolder } from "./restore-mark.ts";
import { tellAddress } from "./tell-address.ts";
import { tellDeployed } from "./tell-deployed.ts";

/** What tests replace: never set by a document or a setting. */
export interface ServeDeps {
  readonly clock?: Clock;
  readonly engine?: EngineOptions;
}

/** Starts the service and keeps it running until a signal ends it. */
export async function serve(config: Config, deps: ServeDeps = {}): Promise<void> {
  const tail = new LogTail();
  outliveOutput();
  const log = createLog(config.logLevel, tail);
  takeConsole((line) => log.warn({ service: "library" }, line));
  const service = new Service(config, log, tail, deps);
  const starting = service.start();
  // From the first moment on: a database that is being started must not be left behind.
  const ending = endOnSignal(() => starting.then(() => service.stop()));
  const address = await starting;
  if (ending.aborted) return;
  if (service.leavesDeployed) process.stdout.write("What is deployed goes on without this service.\n");
  process.stdout.write(`Slipway is ready at ${address}\n`);
  // Only for a person: elsewhere the code would be in a log. 'slipway open' makes another one.
  const code = process.stdout.isTTY ? await service.createAdminCode() : undefined;
  // By its name where it has a certificate: another address would not be the one that the certificate is for.
  const home = config.tls === undefined ? address : config.publicUrl.replace(/:0$/, `:${new URL(address).port}`);
  if (code !== undefined) process.stdout.write(`Dashboard, signed in (for 10 minutes, once): ${home}${code.url}\n`);
}

/** What runs of the service: the database, the app and what connects them; stopped in the reverse order. */
class Service {
  readonly #config: Config;
  readonly #log: Log;
  readonly #tail: LogTail;
  readonly #deps: ServeDeps;
  /** What was started last is stopped first. */
  readonly #stops: (() => Promise<unknown>)[] = [];
  #stopping: Promise<void> | undefined;
  #ownsDatabase = true;

  constructor(config: Config, log: Log, tail: LogTail, deps: ServeDeps) {
    this.#config = config;
    this.#log = log;
    this.#tail = tail;
    this.#deps = deps;
  }

  /** Returns the address it listens on; a start that fails stops what was started already. */
  async start(): Promise<string> {
    try {
      await openDataFolder(this.#config.dataFolder);
      const database = await openDatabase(this.#config, this.#log);
      const lock = await this.#lockFolder(database);
      // The lock is released last: whoever took the folder earlier would lose the database at once.
      if (lock !== undefined) this.#stops.push(() => lock.release());
      this.#stops.push(() => this.#endDatabase(database));
      // A restore holds the lock, too: what it left is seen from here on.
      await requireWholeFolder(this.#config.dataFolder);
      const { address, localAddress } = await this.#startApp(database);
      await lock?.setAddress(localAddress);
      if (lock !== undefined) this.#stops.push(await tellAddress(this.#config.dataFolder, localAddress, this.#log));
      return address;
    } catch (error) {
      await this.stop();
      throw explainLoss(error);
    }
  }

  /** A code that signs a browser in as the administrator, where this node may hand it out: on its own machine. */
  createAdminCode: () => Promise<SignInCode | undefined> = async () => undefined;

  /** Whether it would have ended with itself what is deployed, and leaves it, because it found some running. */
  leavesDeployed = false;

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    for (const end of this.#stops.toReversed())
      await end().catch((error) => this.#log.error({ err: error }, "stopping failed"));
  }

  async #startApp(database: OpenDatabase): Promise<{ readonly address: string; readonly localAddress: string }> {
    const log = this.#log;
    const { clock = systemClock, engine = {} } = this.#deps;
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
    if (hasTokenFile) this.createAdminCode = () => createAdminCode({ db, clock, keyring });
    const listener = await startListener({ target: database.target, log });
    this.#stops.push(() => listener.close());
    const waker = new Waker({ query: (text, values) => pool.query(text, values), log });
    this.#stops.push(() => waker.close());
    const channels = {
      wake: waker.wake,
      subscribe: (channel: string, onPayload: (payload: string) => void, onMissed: () => void) =>
        void listener.subscribe(channel, onPayload, onMissed),
    };
    const tls = this.#config.tls && (await readTlsFiles(this.#config.tls));
    const known = { config: await this.#withSupervisor(db, clock), db, clock };
    this.#stops.push(() => tellDeployed(known));
    if (known.config.supervisor === "inside") this.#stops.push(() => findLeftRunning(known));
    const app = await createApp({
      ...{ ...known, channels, keyring, clock, log, tail: this.#tail, engine },
      ...(tls !== undefined && { tls }),
    });
    this.#stops.push(() => app.http.close());
    const address = await app.http.listen({ host, port });
    const local = tls === undefined ? undefined : await this.#serveTls(app.http, tls);
    this.#stops.push(() => app.stop());
    this.#stops.push(() => app.drain());
    await app.start();
    return { address, localAddress: local ?? address };
  }

  /** A supervisor of its own that keeps software alive stays: another one in its place would end that with this service. */
  async #withSupervisor(db: Database, clock: Clock): Promise<Config> {
    const isKept = await findLeftRunning({ config: this.#config, db, clock });
    this.leavesDeployed = isKept && this.#config.supervisor === "inside";
    return this.leavesDeployed ? { ...this.#config, supervisor: "process" } : this.#config;
  }

  /** Follows the certificate, and serves commands of this machine without it; returns where. */
  async #serveTls(http: HttpServer, current: TlsContext): Promise<string> {
    const server = http.server as unknown as TlsServer;
    const files = this.#config.tls!;
    const stopWatching = watchTlsFiles(files, current, {
      log: this.#log,
      use: (context) => server.setSecureContext(context),
    });
    this.#stops.push(async () => stopWatching());
    const { address, close } = await listenLocally(http);
    this.#stops.push(close);
    return address;
  }

  /** Locks the data folder: one service a folder. If another one has it, the error names it, and it is left alone. */
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

  /** Stops the embedded database with its service, unless another service uses it. */
  async #endDatabase({ connected, embedded }: OpenDatabase): Promise<void> {
    if (!this.#ownsDatabase) embedded?.leave();
    await connected.close();
    if (this.#ownsDatabase) await embedded?.stop();
  }
}

/** A signal to a process group arrives several times: from the sender, and from each launcher that passes it on. */
const sameSignalMs = 2_000;

/** Ends gracefully at the first signal or when the launcher is gone, at once at a later signal; aborted at the first. */
function endOnSignal(end: () => Promise<void>): AbortSignal {
  const ending = new AbortController();
  let firstAtMs = 0;
  const begin = () => {
    if (ending.signal.aborted) return;
    firstAtMs = performance.now();
    ending.abort();
    leaveRemovals();
    // A start that fails reports its error itself.
    end()
      .catch(() => undefined)
      .finally(leaveStuckCalls);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (ending.signal.aborted && performance.now() - firstAtMs > sameSignalMs) {
        leaveStuckCalls();
        process.exit(1);
      }
      begin();
    });
  }
  onLauncherGone(begin);
  return ending.signal;
}
