import pg from "pg";
import type { DatabaseTarget } from "./client-config.ts";
import type { Log } from "./log.ts";
import { SteadyConnection } from "./steady-connection.ts";
import { unpackPayload } from "./wake-payload.ts";

export interface ListenerOptions {
  readonly target: DatabaseTarget;
  readonly log: Log;
}

interface Subscription {
  readonly onPayload: (payload: string) => void;
  /** Notifications may have been lost: poll. */
  readonly onMissed: () => void;
}

/** Connects and listens. One listener serves all subscribers of a process. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const listener = new Listener(options);
  await listener.open();
  return listener;
}

/** Receives notifications over a connection of its own, which reconnects after a loss. */
export class Listener {
  readonly #log: Log;
  readonly #subscriptions = new Map<string, Set<Subscription>>();
  readonly #connection: SteadyConnection;
  #wasOpen = false;

  constructor({ target, log }: ListenerOptions) {
    this.#log = log;
    this.#connection = new SteadyConnection({
      target,
      log,
      applicationName: () => "slipway listen",
      onConnect: (client) => this.#onConnect(client),
    });
  }

  open(): Promise<void> {
    return this.#connection.open();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Subscribes to a channel from when the promise resolves; the returned function unsubscribes. */
  async subscribe(
    channel: string,
    onPayload: (payload: string) => void,
    onMissed: () => void = () => undefined,
  ): Promise<() => void> {
    const subscription = { onPayload, onMissed };
    const known = this.#subscriptions.get(channel);
    if (known) known.add(subscription);
    else this.#subscriptions.set(channel, new Set([subscription]));
    // Also for a known channel, whose LISTEN may still be in flight. After a loss, the new connection listens again.
    await this.#connection.run((client) => listen(client, [channel])).catch(() => undefined);
    return () => void this.#subscriptions.get(channel)?.delete(subscription);
  }

  async #onConnect(client: pg.Client): Promise<void> {
    client.on("notification", ({ channel, payload = "" }) => this.#onNotification(channel, payload));
    await listen(client, [...this.#subscriptions.keys()]);
    if (this.#wasOpen) for (const channel of this.#subscriptions.keys()) this.#notify(channel, (one) => one.onMissed());
    this.#wasOpen = true;
  }

  #onNotification(channel: string, text: string): void {
    const payloads = unpackPayload(text);
    if (payloads.length === 0) this.#notify(channel, (one) => one.onMissed());
    for (const payload of payloads) this.#notify(channel, (one) => one.onPayload(payload));
  }

  /** A subscriber that throws must not keep the others from being called. */
  #notify(channel: string, call: (subscription: Subscription) => void): void {
    for (const subscription of this.#subscriptions.get(channel) ?? []) {
      try {
        call(subscription);
      } catch (error) {
        this.#log.error({ err: error, channel }, "A subscriber failed.");
      }
    }
  }
}

async function listen(client: pg.Client, channels: readonly string[]): Promise<void> {
  if (channels.length === 0) return;
  await client.query(channels.map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join(";"));
}
