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
  /** Something may have been said that was not heard: look for yourself. */
  readonly onMissed: () => void;
}

/** Connects and listens; call it once, and let all who want to hear something subscribe. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const listener = new Listener(options);
  await listener.open();
  return listener;
}

/** Hears what is said with `NOTIFY`, over a connection of its own that comes back when it was lost. */
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

  /** Hears a channel from when the promise is fulfilled; the function it gives ends that. */
  async subscribe(
    channel: string,
    onPayload: (payload: string) => void,
    onMissed: () => void = () => undefined,
  ): Promise<() => void> {
    const subscription = { onPayload, onMissed };
    const known = this.#subscriptions.get(channel);
    if (known) known.add(subscription);
    else this.#subscriptions.set(channel, new Set([subscription]));
    // Also for a known channel: its LISTEN may still be under way. A lost connection listens anew when it is back.
    await this.#connection.run((client) => listen(client, [channel])).catch(() => undefined);
    return () => void this.#subscriptions.get(channel)?.delete(subscription);
  }

  async #onConnect(client: pg.Client): Promise<void> {
    client.on("notification", ({ channel, payload = "" }) => this.#hear(channel, payload));
    await listen(client, [...this.#subscriptions.keys()]);
    if (this.#wasOpen) for (const channel of this.#subscriptions.keys()) this.#tell(channel, (one) => one.onMissed());
    this.#wasOpen = true;
  }

  #hear(channel: string, text: string): void {
    const payloads = unpackPayload(text);
    if (payloads.length === 0) this.#tell(channel, (one) => one.onMissed());
    for (const payload of payloads) this.#tell(channel, (one) => one.onPayload(payload));
  }

  /** What one subscriber does wrong must not keep the others from hearing. */
  #tell(channel: string, tell: (subscription: Subscription) => void): void {
    for (const subscription of this.#subscriptions.get(channel) ?? []) {
      try {
        tell(subscription);
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
