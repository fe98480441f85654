import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import type { Handlers, Metrics, OpenWaits, Transact } from "../../platform/http/index.ts";
import { sortableId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log/index.ts";
import { type WebhookRules, webhooksDialler } from "../../platform/network/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { Signals } from "../../platform/wake-up/index.ts";
import { wholeMs } from "./delivery/attempt.ts";
import { CallsInFlight } from "./delivery/calls-in-flight.ts";
import { Deliverer } from "./delivery/deliverer.ts";
import { freeAllDeliveries } from "./delivery/store.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import { trimDeliveries } from "./history/store.ts";
import { leaveLead } from "./outbox/cursor-store.ts";
import { FanOut } from "./outbox/fan-out.ts";
import { webhookRoutes } from "./routes.ts";
import { anyEvent, streamRoutes } from "./stream/routes.ts";

export interface WebhookOptions {
  readonly leaseMs?: number;
  /** How long a delay of the schedule is in truth; tests shorten it. */
  readonly scaleDelay?: (ms: number) => number;
}

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly metrics: Metrics;
  readonly openWaits: OpenWaits;
  readonly rules: WebhookRules;
  /** Of the service. */
  readonly version: string;
  /** Tells all nodes, this one among them, that a webhook was changed or has something due. */
  readonly notifyNodes: (webhookId: string) => void;
  readonly options?: WebhookOptions;
}

type WebhookHandlers = ReturnType<typeof webhookRoutes> &
  ReturnType<typeof deliveryRoutes> &
  Pick<Handlers, "streamWebhook">;

/** The channel on which nodes tell each other of webhooks that were changed. */
export const webhooksChannel = "slipway_webhooks";

/** Tells webhooks of events: makes deliveries of the log, and delivers them. */
export class Webhooks {
  readonly #parts: Deps;
  readonly #signals = new Signals();
  readonly #dialler: ReturnType<typeof webhooksDialler>;
  readonly #deliverer: Deliverer;
  readonly #fanOut: FanOut;
  readonly #trials = new CallsInFlight(wholeMs);
  readonly #node = sortableId(Date.now());
  readonly #leaseMs: number;
  readonly #userAgent: string;

  constructor(parts: Deps) {
    this.#parts = parts;
    const { db, clock, log, keyring, metrics, rules, version, options = {} } = parts;
    const { leaseMs = 30_000, scaleDelay = (ms) => ms } = options;
    this.#leaseMs = leaseMs;
    this.#userAgent = `slipway/${version}`;
    this.#dialler = webhooksDialler(rules);
    const common = { db, log, node: this.#node, leaseMs };
    this.#deliverer = new Deliverer({
      ...common,
      clock,
      keyring,
      metrics,
      dialler: this.#dialler,
      userAgent: this.#userAgent,
      scaleDelay,
      onDrained: (id) => this.#fanOut.noteDrained(id),
    });
    this.#fanOut = new FanOut({ ...common, deliverer: this.#deliverer });
  }

  handlers(transact: Transact): WebhookHandlers {
    const { db, clock, log, keyring, openWaits, rules, notifyNodes } = this.#parts;
    const dialler = this.#dialler;
    const userAgent = this.#userAgent;
    const routes = { db, clock, transact, keyring, dialler, allowsLocal: rules.allowsLocal, onChanged: notifyNodes };
    const attempts = { clock, log, dialler, userAgent, inFlight: this.#trials };
    return {
      ...webhookRoutes(routes),
      ...deliveryRoutes({ ...routes, attempts, node: this.#node, leaseMs: this.#leaseMs, onDue: notifyNodes }),
      ...streamRoutes({ db, clock, openWaits, signals: this.#signals, userAgent }),
    };
  }

  /** Begins to deliver. Where no other node can be there, what earlier ones had taken is free at once. */
  async start({ isAlone }: { readonly isAlone: boolean }): Promise<void> {
    if (isAlone) {
      await freeAllDeliveries(this.#parts.db);
      await leaveLead(this.#parts.db, undefined);
    }
    this.#deliverer.start();
    this.#fanOut.start();
  }

  /** Lets what is under way end, and gives back the rest. */
  async stop(): Promise<void> {
    await this.#fanOut.stop();
    await this.#deliverer.stop();
  }

  async close(): Promise<void> {
    this.#trials.abortAll();
    await this.#dialler.close();
  }

  /** Something happened to a project. */
  noteEvent(): void {
    this.#fanOut.wake();
    this.#signals.signal(anyEvent);
  }

  /** A webhook was changed, or something is due for it. */
  noteChanged(webhookId: string): void {
    this.#deliverer.forget(webhookId);
    this.#deliverer.wake([webhookId]);
    this.#fanOut.ringForWebhooks();
  }

  /** Wake-ups may have been missed. */
  noteMissed(): void {
    this.#fanOut.ringForWebhooks();
    this.#signals.signalAll();
  }

  /** Removes what is no longer kept. */
  async trim(): Promise<void> {
    while (await trimDeliveries(this.#parts.db));
  }
}
