import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { clientConfig, type DatabaseTarget } from "./client-config.ts";
import type { Log } from "./log.ts";
import { retryDelayMs } from "./retry-delay.ts";

export interface SteadyConnectionOptions {
  readonly target: DatabaseTarget;
  readonly log: Log;
  /** Called for each connection, because the name may change. */
  readonly applicationName: () => string;
  /** Prepares a new connection; if it fails, we try another connection. */
  readonly onConnect: (client: pg.Client) => Promise<void>;
}

const retryPace = { firstMs: 25, maxMs: 1_000 };
const heartbeatMs = 15_000;
const heartbeatTimeoutMs = 5_000;

/** One connection outside the pool that reopens after each loss, until it is closed. */
export class SteadyConnection {
  readonly #options: SteadyConnectionOptions;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #reconnecting: Promise<void> = Promise.resolve();
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: SteadyConnectionOptions) {
    this.#options = options;
  }

  /** Connects for the first time; a failure goes to the caller. */
  async open(): Promise<void> {
    await this.#connect();
    this.#heartbeat = setInterval(() => void this.#sendHeartbeat(), heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Runs statements one after the other; undefined while there is no connection. */
  run<T>(work: (client: pg.Client) => Promise<T>): Promise<T | undefined> {
    const result = this.#queue.then(() => this.#client && work(this.#client));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#heartbeat);
    await this.#reconnecting;
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const { target, applicationName, onConnect, log } = this.#options;
    const client = new pg.Client(clientConfig(target, applicationName()));
    // Each loss also emits "end". Without this listener, the error would end the process.
    client.on("error", (error) => log.debug({ err: error }, "A connection to the database was lost."));
    let hasEnded = false;
    client.once("end", () => {
      hasEnded = true;
      this.#onEnd(client);
    });
    try {
      await client.connect();
      await onConnect(client);
      if (hasEnded) throw new Error("Connection terminated unexpectedly");
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
  }

  #onEnd(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#reconnecting = this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closing;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        await delay(retryDelayMs(attempt, retryPace), undefined, { signal, ref: false });
        await this.#connect();
        return;
      } catch (error) {
        if (!signal.aborted) this.#options.log.debug({ err: error, attempt }, "The database does not answer yet.");
      }
    }
  }

  /** A host that vanished closes no connection: only a missing answer shows it. */
  async #sendHeartbeat(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    // With a statement in flight, `end` does not wait for the other side.
    const deadline = setTimeout(() => void client.end().catch(() => undefined), heartbeatTimeoutMs);
    await this.run((current) => current.query("select")).catch(() => undefined);
    clearTimeout(deadline);
  }
}
