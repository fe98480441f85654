import type { Clock } from "../../../platform/clock.ts";
import type { Metrics } from "../../../platform/http/index.ts";
import { posts, takeTurns } from "../../../platform/in-turns.ts";
import type { Log } from "../../../platform/log/index.ts";
import { WakeUp } from "../../../platform/wake-up/index.ts";
import { type AttemptDeps, type Attempted, attemptDelivery, maxAttemptMs } from "./attempt-delivery.ts";
import { noteAttempt } from "./circuit-breaker.ts";
import { resultOf } from "./delivery-result.ts";
import { judge, type Verdict } from "./retry-schedule.ts";
import {
  adjustConcurrency,
  freeSlots,
  newWebhookQueue,
  type QueuedDelivery,
  type WebhookQueue,
} from "./webhook-queue.ts";

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly dialler: AttemptDeps["dialler"];
  readonly metrics: Pick<Metrics, "deliveries" | "deliveryLag">;
  readonly userAgent: string;
  readonly leaseMs: number;
  readonly scaleDelay: (ms: number) => number;
  readonly updateHealth: (queue: WebhookQueue, verdict: Verdict, isTrial: boolean) => void;
  /** More can be claimed than before. */
  readonly onCapacity: () => void;
}

/** Deliveries in flight on this node; to receivers that fail, fewer, so that they leave room for the others. */
const maxInFlight = 512;
const maxFailingInFlight = 128;
/** Slow attempts do not count, up to so many in all: receivers that start to hang together delay nobody else. */
const maxInFlightWithSlow = 2_048;
const slowMs = 2_000;
/** Deliveries in memory, those in flight included; a claim or a batch that is being read may exceed it once. */
export const maxInMemory = 2_048;
/** An attempt must end before its lease does. */
const attemptMs = maxAttemptMs + 1_000;
/** A receiver that answers later does not hold up its batch the next time. */
const quickMs = 200;
const maxIdleQueues = 5_000;

/** The deliveries that this node posts. Webhooks take turns, so none delays another. */
export class DeliveryQueue {
  readonly #deps: Deps;
  readonly #attemptDeps: AttemptDeps;
  readonly #webhooks = new Map<string, WebhookQueue>();
  /** Webhooks that have something to start, in turn. */
  readonly #ready: WebhookQueue[] = [];
  readonly #idle = new WakeUp();
  readonly #turn = takeTurns(undefined, posts);
  /** For its turn in a later loop. */
  #isWaiting = false;
  #isStopping = false;
  #isAborting = false;
  #inMemory = 0;
  #inFlight = 0;
  #failingInFlight = 0;
  #slowInFlight = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { clock, log, dialler, userAgent } = deps;
    this.#attemptDeps = { clock, log, dialler, userAgent, calls: new Set() };
  }

  /** What is known of a webhook, if anything. */
  find(webhookId: string): WebhookQueue | undefined {
    return this.#webhooks.get(webhookId);
  }

  of(webhookId: string): WebhookQueue {
    let queue = this.#webhooks.get(webhookId);
    if (queue === undefined) {
      queue = newWebhookQueue(webhookId);
      this.#webhooks.set(webhookId, queue);
    }
    return queue;
  }

  /** How many to claim for which webhooks, as far as there is room, and at most so many in all. */
  claimable(max: number): Map<WebhookQueue, number> {
    const found = new Map<WebhookQueue, number>();
    let room = Math.min(maxInMemory - this.#inMemory, max);
    for (const queue of this.#webhooks.values()) {
      if (room <= 0) break;
      const slots = Math.min(this.#slotsOf(queue), room);
      if (slots === 0) continue;
      found.set(queue, slots);
      room -= slots;
    }
    // There was not enough for all: whoever is served now comes last the next time.
    if (room <= 0)
      for (const queue of found.keys()) {
        this.#webhooks.delete(queue.id);
        this.#webhooks.set(queue.id, queue);
      }
    return found;
  }

  hasClaimable(): boolean {
    if (this.#inMemory >= maxInMemory) return false;
    for (const queue of this.#webhooks.values()) if (this.#slotsOf(queue) > 0) return true;
    return false;
  }

  #slotsOf(queue: WebhookQueue): number {
    if (!queue.mayHaveDue) return 0;
    const isPassed = queue.isFailing && this.#failingInFlight >= maxFailingInFlight && queue.inFlight === 0;
    return isPassed ? 0 : freeSlots(queue);
  }

  add(delivery: QueuedDelivery): void {
    const queue = this.of(delivery.webhookId);
    queue.waiting.push(delivery);
    this.#inMemory += 1;
    this.#enqueue(queue);
  }

  /** Starts one attempt of each webhook in turn, as long as there is room. */
  start(): void {
    const passed: WebhookQueue[] = [];
    const max = Math.min(maxInFlight + this.#slowInFlight, maxInFlightWithSlow);
    while (this.#inFlight < max && this.#ready.length > 0 && this.#hasTurn()) {
      const queue = this.#ready.shift();
      if (queue === undefined) break;
      queue.isReady = false;
      if (queue.isFailing && this.#failingInFlight >= maxFailingInFlight) {
        passed.push(queue);
        continue;
      }
      const delivery = queue.waiting.shift();
      if (delivery === undefined) continue;
      this.#startAttempt(queue, delivery);
      this.#enqueue(queue);
    }
    for (const queue of passed) this.#enqueue(queue);
  }

  /** Whether to go on in this loop: an event may have a megabyte, which takes ten milliseconds to sign. */
  #hasTurn(): boolean {
    if (this.#isWaiting) return false;
    const others = this.#turn();
    this.#isWaiting = others !== undefined;
    void others?.then(() => {
      this.#isWaiting = false;
      this.start();
    });
    return !this.#isWaiting;
  }

  /** Releases what waits for a webhook, but for the first so many. */
  releaseWaiting(queue: WebhookQueue, keep = 0): void {
    this.#release(queue, queue.waiting.splice(keep));
  }

  /** Starts nothing more, waits so long for what is in flight, and aborts the rest. */
  async stop(patienceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const queue of this.#webhooks.values()) this.releaseWaiting(queue);
    if (this.#inFlight > 0) await this.#idle.wait(patienceMs);
    this.#isAborting = true;
    for (const call of this.#attemptDeps.calls) call.abort();
    if (this.#inFlight > 0) await this.#idle.wait(patienceMs);
  }

  dropIdleQueues(): void {
    if (this.#webhooks.size <= maxIdleQueues) return;
    for (const { id, waiting, inFlight, mayHaveDue } of this.#webhooks.values())
      if (waiting.length + inFlight === 0 && !mayHaveDue) this.#webhooks.delete(id);
  }

  #enqueue(queue: WebhookQueue): void {
    if (queue.isReady || queue.waiting.length === 0 || queue.inFlight >= queue.concurrency) return;
    queue.isReady = true;
    this.#ready.push(queue);
  }

  #startAttempt(queue: WebhookQueue, delivery: QueuedDelivery): void {
    const { endpoint } = queue;
    const isLeaseEnding = performance.now() - delivery.claimedAtMs > this.#deps.leaseMs - attemptMs;
    if (delivery.owner === undefined) this.#leave(1);
    else if (endpoint === undefined || isLeaseEnding || this.#isStopping)
      this.#release(queue, [delivery, ...queue.waiting.splice(0)]);
    else void this.#attempt(queue, delivery, endpoint);
  }

  async #attempt(
    queue: WebhookQueue,
    delivery: QueuedDelivery,
    endpoint: NonNullable<WebhookQueue["endpoint"]>,
  ): Promise<void> {
    const wasFailing = queue.isFailing;
    let isSlow = false;
    const slowTimer = setTimeout(() => {
      isSlow = true;
      this.#slowInFlight += 1;
      this.start();
    }, slowMs);
    queue.inFlight += 1;
    this.#inFlight += 1;
    if (wasFailing) this.#failingInFlight += 1;
    const attempted = await attemptDelivery(this.#attemptDeps, endpoint, delivery);
    clearTimeout(slowTimer);
    if (isSlow) this.#slowInFlight -= 1;
    if (wasFailing) this.#failingInFlight -= 1;
    this.#inFlight -= 1;
    queue.inFlight -= 1;
    if (this.#isAborting) this.#release(queue, [delivery]);
    else this.#settle(queue, delivery, attempted);
    this.#enqueue(queue);
    this.start();
    if (queue.mayHaveDue || wasFailing) this.#deps.onCapacity();
    if (this.#isStopping && this.#inFlight === 0) this.#idle.wake();
  }

  #settle(queue: WebhookQueue, delivery: QueuedDelivery, { outcome, record }: Attempted): void {
    const { clock, metrics, scaleDelay, updateHealth } = this.#deps;
    const now = clock.now();
    const { failures, isTrial } = delivery;
    const verdict = judge(outcome, { failures, isTrial, now, chance: Math.random() });
    const hasArrived = verdict.type === "delivered";
    metrics.deliveries.inc({ result: hasArrived ? "delivered" : (record.fault ?? "receiver") });
    if (hasArrived) metrics.deliveryLag.observe(Math.max(0, now.getTime() - delivery.happenedAt.getTime()) / 1000);
    if (record.fault !== "us") {
      queue.isSlow = record.duration_ms > quickMs;
      queue.recent = noteAttempt(queue.recent, now.getTime(), hasArrived);
      adjustConcurrency(queue, hasArrived);
      if (!hasArrived) this.releaseWaiting(queue);
      updateHealth(queue, verdict, isTrial);
    }
    // The next delivery of the project can be claimed once this one is settled.
    if (queue.endpoint?.keepsOrder) queue.mayHaveDue = true;
    this.#leave(1);
    delivery.owner?.settle(delivery, resultOf(verdict, record, scaleDelay));
  }

  #release(queue: WebhookQueue, deliveries: readonly QueuedDelivery[]): void {
    if (deliveries.length === 0) return;
    this.#leave(deliveries.length);
    queue.mayHaveDue = true;
    for (const [owner, owned] of Map.groupBy(deliveries, ({ owner }) => owner)) owner?.release(owned);
    this.#deps.onCapacity();
  }

  /** So many are no longer in memory. */
  #leave(count: number): void {
    const wasFull = this.#inMemory >= maxInMemory;
    this.#inMemory -= count;
    if (wasFull) this.#deps.onCapacity();
  }
}
