import type { Clock } from "../../../platform/clock.ts";
import { type Database, isDatabaseUnavailable, pipelinedTransaction } from "../../../platform/database/index.ts";
import type { Metrics } from "../../../platform/http/index.ts";
import type { Log } from "../../../platform/log/index.ts";
import type { Keyring } from "../../../platform/secrets/index.ts";
import { PollLoop } from "../../../platform/wake-up/index.ts";
import type { AttemptDeps } from "./attempt-delivery.ts";
import { ClaimSize } from "./claim-size.ts";
import { DeliveryQueue, maxInMemory as maxInMemoryOfAll } from "./delivery-queue.ts";
import { type DeliveryResult, withheld } from "./delivery-result.ts";
import {
  activateIdleParked,
  type ClaimedDelivery,
  claimDeliveries,
  releaseDeliveries,
  type Settlement,
  selectDueWebhooks,
  selectEndpoints,
  settleDeliveries,
} from "./delivery-store.ts";
import { readEventData } from "./event-data-store.ts";
import { updateHealth } from "./webhook-health.ts";
import {
  type DeliveryOwner,
  maxConcurrency,
  maxInMemory,
  openEndpoint,
  type QueuedDelivery,
  type WebhookQueue,
} from "./webhook-queue.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Pick<Keyring, "decrypt">;
  readonly dialler: AttemptDeps["dialler"];
  readonly metrics: Pick<Metrics, "deliveries" | "deliveryLag">;
  readonly userAgent: string;
  /** This node's name, unlike any other's. */
  readonly node: string;
  readonly leaseMs: number;
  /** Scales the delays of the schedule; tests shorten them. */
  readonly scaleDelay: (ms: number) => number;
  /** All due deliveries of a webhook are claimed. */
  readonly onDrained: (webhookId: string) => void;
  /** It was written how deliveries of a webhook fared. */
  readonly onSettled: (webhookId: string) => void;
}

const maxSettledAtOnce = 500;
const pollMs = 1_000;
const stopPatienceMs = 3_000;

/** Claims due deliveries, has them posted, and settles the results; README.md names states, caps and invariants. */
export class Deliverer implements DeliveryOwner {
  readonly #deps: Deps;
  readonly #queue: DeliveryQueue;
  readonly #loop: PollLoop;
  readonly #claimSize: ClaimSize;
  #settlements: (Settlement & { readonly webhookId: string })[] = [];
  readonly #releasing = new Set<Promise<void>>();
  #polledAtMs = -Infinity;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#claimSize = new ClaimSize(deps.log, maxInMemoryOfAll);
    this.#loop = new PollLoop({ name: "The webhook deliverer", log: deps.log, step: () => this.#step() });
    this.#queue = new DeliveryQueue({
      ...deps,
      updateHealth: (queue, verdict, isTrial) =>
        void updateHealth(deps, queue, { verdict, isTrial }).catch((error) =>
          deps.log.warn({ err: error, webhook_id: queue.id }, "A webhook's health could not be written."),
        ),
      onCapacity: () => this.#loop.wake(),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Claims nothing more, waits a moment for what is in flight, and releases the rest. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#queue.stop(stopPatienceMs);
    await settleDeliveries(this.#deps.db, this.#settlements).catch(() => undefined);
    await Promise.all(this.#releasing);
  }

  /** There may be due deliveries for these webhooks. */
  wake(webhookIds: Iterable<string>): void {
    // A node that delivers nothing must not remember webhooks.
    if (!this.#loop.isStarted) return;
    for (const id of webhookIds) this.#queue.of(id).mayHaveDue = true;
    this.#loop.wake();
  }

  /** A webhook was changed or deleted: what this node remembers of it is no longer valid. */
  forget(webhookId: string): void {
    const queue = this.#queue.find(webhookId);
    if (queue === undefined) return;
    queue.endpoint = undefined;
    this.#queue.releaseWaiting(queue);
    this.wake([webhookId]);
  }

  /** Which deliveries of a batch to post before they are written: those of webhooks that answer at once and have no backlog. */
  choose<D extends QueuedDelivery & { readonly version: number }>(deliveries: readonly D[]): D[] {
    return [...Map.groupBy(deliveries, ({ webhookId }) => webhookId)].flatMap(([webhookId, ofWebhook]) => {
      const { endpoint, isFailing, isSlow, waiting } = this.#queue.of(webhookId);
      const isKnown = endpoint !== undefined && endpoint.version === ofWebhook[0]?.version;
      const isQuick = isKnown && !endpoint.isParked && !isFailing && !isSlow && waiting.length <= maxConcurrency;
      return isQuick && !endpoint.keepsOrder ? ofWebhook : [];
    });
  }

  post(deliveries: readonly QueuedDelivery[]): void {
    for (const delivery of deliveries) this.#queue.add(delivery);
    this.#queue.start();
  }

  /** These webhooks did not answer while their batch waited: what exceeds their share of memory is released. */
  noteSlow(webhookIds: Iterable<string>): void {
    for (const id of webhookIds) {
      const queue = this.#queue.of(id);
      queue.isSlow = true;
      this.#queue.releaseWaiting(queue, maxInMemory(queue));
    }
  }

  settle({ lease, webhookId }: QueuedDelivery, result: DeliveryResult): void {
    if (lease === undefined) return;
    this.#settlements.push({ ...lease, ...result, webhookId });
    this.#loop.wake();
  }

  /** A delivery that cannot be released becomes due when its lease ends. */
  release(deliveries: readonly QueuedDelivery[]): void {
    const leases = deliveries.flatMap(({ lease }) => lease ?? []);
    const releasing = releaseDeliveries(this.#deps.db, leases)
      .catch(() => undefined)
      .finally(() => {
        this.#releasing.delete(releasing);
        this.wake(new Set(deliveries.map(({ webhookId }) => webhookId)));
      });
    this.#releasing.add(releasing);
  }

  async #step(): Promise<number> {
    await this.#pollDue();
    // A claim that fails again must not undo what is settled together with it.
    if (this.#claimSize.hasFailed) await this.#settleAndClaim(new Map());
    await this.#settleAndClaim(this.#queue.claimable(this.#claimSize.current));
    return this.#settlements.length > 0 || this.#queue.hasClaimable() ? 0 : pollMs;
  }

  async #pollDue(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#polledAtMs < pollMs) return;
    this.#polledAtMs = nowMs;
    await activateIdleParked(this.#deps.db);
    for (const id of await selectDueWebhooks(this.#deps.db)) this.#queue.of(id).mayHaveDue = true;
    this.#queue.dropIdleQueues();
  }

  /** In one transaction: what ends meanwhile is settled by the next. */
  async #settleAndClaim(claimable: ReadonlyMap<WebhookQueue, number>): Promise<void> {
    const settled = this.#settlements.splice(0, maxSettledAtOnce);
    if (settled.length === 0 && claimable.size === 0) return;
    const { db, node, leaseMs } = this.#deps;
    for (const queue of claimable.keys()) queue.mayHaveDue = false;
    let claimed: readonly ClaimedDelivery[];
    try {
      claimed = await pipelinedTransaction(db, async (trx) => {
        const settling = settleDeliveries(trx, settled);
        const webhookIds = [...claimable.keys()].map(({ id }) => id);
        const claiming = claimDeliveries(trx, { node, leaseMs, webhookIds, slots: [...claimable.values()] });
        return { value: claiming, answers: [settling, claiming] };
      });
    } catch (error) {
      for (const queue of claimable.keys()) queue.mayHaveDue = true;
      if (claimable.size > 0) this.#noteClaimFailed(error);
      if (isDatabaseUnavailable(error) || settled.length === 0) {
        this.#settlements.unshift(...settled);
        throw error;
      }
      this.#deps.log.error({ err: error }, "Deliveries could not be settled together; they are settled one by one.");
      for (const one of settled) await this.#settleAlone(one);
      return;
    }
    for (const id of new Set(settled.map(({ webhookId }) => webhookId))) this.#deps.onSettled(id);
    if (claimable.size > 0) await this.#enqueue(claimed, claimable);
  }

  #noteClaimFailed(error: unknown): void {
    this.#claimSize.noteFailed(error);
    // A database that is away fails that first, and no further claim is blamed for it.
    this.#polledAtMs = -Infinity;
  }

  /** One that cannot be settled must not block the others. Its lease ends, and it is attempted again. */
  async #settleAlone(settlement: Settlement & { readonly webhookId: string }): Promise<void> {
    try {
      await settleDeliveries(this.#deps.db, [settlement]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.#settlements.unshift(settlement);
      else this.#deps.log.error({ err: error, delivery: settlement.id }, "A delivery could not be settled.");
    }
  }

  async #enqueue(claimed: readonly ClaimedDelivery[], claimable: ReadonlyMap<WebhookQueue, number>): Promise<void> {
    const byWebhook = Map.groupBy(claimed, ({ webhookId }) => webhookId);
    // A webhook that got all it asked for may have more.
    for (const [queue, slots] of claimable) {
      if ((byWebhook.get(queue.id)?.length ?? 0) >= slots) queue.mayHaveDue = true;
      else this.#deps.onDrained(queue.id);
    }
    const [data] = await Promise.all([this.#readData(claimed), this.#refreshEndpoints(byWebhook)]);
    this.#claimSize.noteSucceeded();
    for (const [at, delivery] of claimed.entries()) {
      const queued = this.#queuedOf({ ...delivery, data: data[at]! });
      if (queued.data === null) this.settle(queued, withheld("The project is gone."));
      else if (!delivery.mayRead) this.settle(queued, withheld("The webhook's owner may not read the project."));
      else this.#queue.add(queued);
    }
    this.#queue.start();
  }

  /** What the deliveries tell. If it cannot be read, they are released: fewer of them are claimed next. */
  async #readData(claimed: readonly ClaimedDelivery[]): Promise<readonly ClaimedDelivery["data"][]> {
    try {
      return await readEventData(this.#deps.db, claimed);
    } catch (error) {
      this.#noteClaimFailed(error);
      this.release(claimed.map((delivery) => this.#queuedOf(delivery)));
      throw error;
    }
  }

  /** Reads endpoints whose version changed. Without its endpoint a delivery is released, and claimed again. */
  async #refreshEndpoints(byWebhook: ReadonlyMap<string, readonly ClaimedDelivery[]>): Promise<void> {
    const { db, keyring } = this.#deps;
    const stale = [...byWebhook].filter(([id, [first]]) => this.#queue.of(id).endpoint?.version !== first?.version);
    if (stale.length === 0) return;
    const ids = stale.map(([id]) => id);
    for (const row of await selectEndpoints(db, ids).catch(() => []))
      this.#queue.of(row.id).endpoint = openEndpoint(keyring, row);
  }

  #queuedOf({ id, fence, isParked, ...delivery }: ClaimedDelivery): QueuedDelivery {
    return { ...delivery, claimedAtMs: performance.now(), isTrial: isParked, owner: this, lease: { id, fence } };
  }
}
