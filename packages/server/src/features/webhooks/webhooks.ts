import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import type { Handlers, Metrics, OpenWaits, Transact } from "../../platform/http/index.ts";
import { sortableId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log/index.ts";
import { type Call, type WebhookRules, webhooksDialler } from "../../platform/network/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { Signals } from "../../platform/wake-up/index.ts";
import { Deliverer } from "./delivery/deliverer.ts";
import { disableWebhooksOf, releaseAllDeliveries } from "./delivery/delivery-store.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import { trimDeliveries } from "./history-store.ts";
import { leaveLead } from "./outbox/cursor-store.ts";
import { FanOut } from "./outbox/fan-out.ts";
import { webhookRoutes } from "./routes.ts";
import { anyEvent, streamRoutes } from "./stream-routes.ts";

export interface WebhookOptions {
  readonly leaseMs?: number;
  /** Scales the delays of the retry schedule; tests shorten them. */
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
  /** Notifies all nodes, this one included, that a webhook was changed or has due deliveries. */
  readonly notifyNodes: (webhookId: string) => void;
  readonly options?: WebhookOptions;
}

type WebhookHandlers = ReturnType<typeof webhookRoutes> &
  ReturnType<typeof deliveryRoutes> &
  Pick<Handlers, "streamWebhook">;

/** The channel on which nodes notify each other of changed webhooks. */
export const webhooksChannel = "slipway_webhooks";

/** Everything about webhooks: their routes, the fan-out of the event log, and the deliveries. */
export class Webhooks {
  readonly #deps: Deps;
  readonly #signals = new Signals();
  /** Signalled with a webhook's id when it or its deliveries changed. */
  readonly #settled = new Signals();
  readonly #dialler: ReturnType<typeof webhooksDialler>;
  readonly #deliverer: Deliverer;
  readonly #fanOut: FanOut;
  readonly #testCalls = new Set<Call>();
  readonly #node = sortableId(Date.now());
  readonly #leaseMs: number;
  readonly #userAgent: string;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { db, clock, log, keyring, metrics, rules, version, options = {} } = deps;
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
      onSettled: (id) => this.#settled.signal(id),
    });
    this.#fanOut = new FanOut({ ...common, deliverer: this.#deliverer });
  }

  handlers(transact: Transact): WebhookHandlers {
    const { db, clock, log, keyring, openWaits, rules, notifyNodes } = this.#deps;
    const dialler = this.#dialler;
    const userAgent = this.#userAgent;
    const routes = { db, clock, transact, keyring, dialler, allowsLocal: rules.allowsLocal, onChanged: notifyNodes };
    const attempts = { clock, log, dialler, userAgent, calls: this.#testCalls };
    return {
      ...webhookRoutes(routes),
      ...deliveryRoutes({
        ...{ ...routes, attempts, openWaits, node: this.#node, leaseMs: this.#leaseMs },
        settled: this.#settled,
        onDue: notifyNodes,
      }),
      ...streamRoutes({ db, clock, openWaits, signals: this.#signals, userAgent }),
    };
  }

  /** Disables all webhooks of an owner who was removed; returns their ids, which nodes must be notified of after the commit. */
  disableOf(trx: Transaction, ownerId: string, ownerName: string): Promise<string[]> {
    return disableWebhooksOf(trx, ownerId, `Its owner ${ownerName} was removed.`);
  }

  /** Tells every node that webhooks were changed. */
  notifyChanged(webhookIds: readonly string[]): void {
    for (const id of webhookIds) this.#deps.notifyNodes(id);
  }

  /** Starts to deliver. Where there can be no other node, it releases at once what earlier ones had claimed. */
  async start({ isAlone }: { readonly isAlone: boolean }): Promise<void> {
    if (isAlone) {
      await releaseAllDeliveries(this.#deps.db);
      await leaveLead(this.#deps.db, undefined);
    }
    this.#deliverer.start();
    this.#fanOut.start();
  }

  /** Waits a moment for deliveries in flight, and releases the rest. */
  async stop(): Promise<void> {
    await this.#fanOut.stop();
    await this.#deliverer.stop();
  }

  async close(): Promise<void> {
    for (const call of this.#testCalls) call.abort();
    await this.#dialler.close();
  }

  /** There is a new event. */
  noteEvent(): void {
    this.#fanOut.wake();
    this.#signals.signal(anyEvent);
  }

  /** A webhook was changed, or has due deliveries. */
  noteChanged(webhookId: string): void {
    this.#deliverer.forget(webhookId);
    this.#deliverer.wake([webhookId]);
    this.#fanOut.wakeForWebhooks();
    this.#settled.signal(webhookId);
  }

  /** Wake-ups may have been missed. */
  noteMissed(): void {
    this.#fanOut.wakeForWebhooks();
    this.#signals.signalAll();
    this.#settled.signalAll();
  }

  /** Removes old deliveries from the history. */
  async trim(): Promise<void> {
    while (await trimDeliveries(this.#deps.db));
  }
}
