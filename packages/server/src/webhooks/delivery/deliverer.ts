import { Bell } from "../../bell.ts";
import type { Clock } from "../../clock.ts";
import { type Database, isDatabaseUnavailable, pipelinedTransaction } from "../../database/index.ts";
import type { Metrics } from "../../http/index.ts";
import type { Log } from "../../log.ts";
import { noteAttempt } from "../breaker.ts";
import { judge, type Verdict } from "../schedule.ts";
import { type Attempted, attemptDelivery } from "./attempt.ts";
import { noteHealth } from "./health.ts";
import { type Lane, newLane, noteWidth, openSender, slotsOf } from "./sender.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  giveBackDeliveries,
  type Settlement,
  selectDueWebhooks,
  selectSenders,
  settleDeliveries,
  type TakenDelivery,
} from "./store.ts";

export interface DelivererParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Parameters<typeof openSender>[0];
  readonly dialler: Parameters<typeof attemptDelivery>[0]["dialler"];
  readonly metrics: Pick<Metrics, "deliveries" | "deliveryLag">;
  readonly userAgent: string;
  /** This node's name, unlike any other's. */
  readonly node: string;
  readonly leaseMs: number;
  /** How long a delay of the schedule is in truth; tests shorten it. */
  readonly scaleDelay: (ms: number) => number;
  /** All that was due for a webhook is taken. */
  readonly onDrained: (webhookId: string) => void;
}

type Held = TakenDelivery & { readonly takenAtMs: number; readonly isTrial: boolean };

/** How many may be under way on this node; of receivers that fail, fewer, so that the others have room. */
const mostUnderWay = 512;
const mostSuspect = 128;
/** As many as are in memory at most, those under way among them. */
const mostHeld = 2_048;
const mostSettled = 500;
/** Wake-ups are hints that may get lost, and retries come due by themselves. */
const lookMs = 1_000;
/** An attempt takes no longer; what is begun must end within its lease. */
const attemptMs = 16_000;
const patienceMs = 3_000;

/**
 * Takes deliveries that are due, posts them, and settles what came of it. There is one lane to the database: what ends while
 * a transaction is under way is settled by the next. Receivers take turns, so none delays another.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #lanes = new Map<string, Lane<Held>>();
  /** Lanes that have something to begin, in turn. */
  #queue: Lane<Held>[] = [];
  readonly #bell = new Bell();
  readonly #stopping = new AbortController();
  readonly #attempts = new Set<AbortController>();
  #isEnding = false;
  #ended: Settlement[] = [];
  #held = 0;
  #underWay = 0;
  #suspects = 0;
  #lookedAtMs = -Infinity;
  #running: Promise<void> | undefined;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Begins nothing more, waits a moment for what is under way, and gives the rest back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#bell.ring();
    await this.#running;
    const waiting = [...this.#lanes.values()].flatMap((lane) => lane.waiting.splice(0));
    if (waiting.length > 0) await giveBackDeliveries(this.#parts.db, waiting).catch(() => undefined);
    const deadline = setTimeout(() => {
      this.#isEnding = true;
      for (const attempt of this.#attempts) attempt.abort();
    }, patienceMs);
    while (this.#underWay > 0) await this.#bell.wait(patienceMs);
    clearTimeout(deadline);
    await settleDeliveries(this.#parts.db, this.#ended.splice(0)).catch(() => undefined);
  }

  /** There may be something to deliver to these. */
  ring(webhookIds: Iterable<string>): void {
    for (const id of webhookIds) this.#laneOf(id).isHungry = true;
    this.#bell.ring();
  }

  /** A webhook was changed or deleted: what is remembered of it no longer holds. */
  forget(webhookId: string): void {
    const lane = this.#lanes.get(webhookId);
    if (lane === undefined) return;
    lane.sender = undefined;
    this.#giveBack(lane.waiting.splice(0));
    this.ring([webhookId]);
  }

  /** How much can be taken at once, for webhooks that are known here: promised until it is said what was taken. */
  offer(only?: string): {
    webhookIds: string[];
    versions: number[];
    slots: number[];
    taken: (deliveries: TakenDelivery[]) => void;
  } {
    const offered: Lane<Held>[] = [];
    const slots: number[] = [];
    const lanes = only === undefined ? this.#lanes.values() : [this.#laneOf(only)];
    for (const lane of lanes) {
      const count = lane.sender === undefined || lane.sender.isParked ? 0 : this.#slotsOf(lane);
      if (count === 0) continue;
      offered.push(lane);
      slots.push(count);
      lane.promised += count;
      this.#held += count;
    }
    const taken = (deliveries: readonly TakenDelivery[]) => {
      for (const [at, lane] of offered.entries()) {
        lane.promised -= slots[at]!;
        this.#held -= slots[at]!;
      }
      const takenAtMs = performance.now();
      for (const delivery of deliveries)
        this.#hold(this.#laneOf(delivery.webhookId), { ...delivery, takenAtMs, isTrial: false });
      this.#begin();
    };
    return {
      webhookIds: offered.map(({ id }) => id),
      versions: offered.map(({ sender }) => sender!.version),
      slots,
      taken,
    };
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#look();
        const isBusy = await this.#turn();
        failures = 0;
        if (!isBusy) await this.#bell.wait(lookMs);
      } catch (error) {
        failures += 1;
        if (isDatabaseUnavailable(error)) this.#parts.log.debug({ err: error }, "Webhooks wait for the database.");
        else this.#parts.log.error({ err: error }, "Delivering to webhooks failed.");
        await new Bell().wait(Math.min(50 * 2 ** failures, 2_000));
      }
    }
  }

  async #look(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs < lookMs) return;
    this.#lookedAtMs = nowMs;
    for (const id of await selectDueWebhooks(this.#parts.db)) this.#laneOf(id).isHungry = true;
    this.#dropIdleLanes();
  }

  /** Settles what ended and takes what is due, in one transaction. Whether there may be more at once. */
  async #turn(): Promise<boolean> {
    const ended = this.#ended.splice(0, mostSettled);
    const hungry = this.#hungryLanes();
    if (ended.length === 0 && hungry.size === 0) return false;
    const { db, node, leaseMs } = this.#parts;
    for (const [lane, slots] of hungry) {
      lane.promised += slots;
      lane.isHungry = false;
    }
    const promised = [...hungry.values()].reduce((sum, slots) => sum + slots, 0);
    this.#held += promised;
    try {
      const claimed = await pipelinedTransaction(db, async (trx) => {
        const settling = settleDeliveries(trx, ended);
        const webhookIds = [...hungry.keys()].map(({ id }) => id);
        const claiming =
          hungry.size === 0
            ? Promise.resolve([])
            : claimDeliveries(trx, { node, leaseMs, webhookIds, slots: [...hungry.values()] });
        return { value: claiming, answers: [settling, claiming] };
      });
      await this.#take(await claimed, hungry);
    } catch (error) {
      this.#ended.unshift(...ended);
      for (const lane of hungry.keys()) lane.isHungry = true;
      throw error;
    } finally {
      for (const [lane, slots] of hungry) lane.promised -= slots;
      this.#held -= promised;
    }
    this.#begin();
    return this.#ended.length > 0 || this.#hungryLanes().size > 0;
  }

  #hungryLanes(): Map<Lane<Held>, number> {
    const found = new Map<Lane<Held>, number>();
    for (const lane of this.#lanes.values()) {
      const slots = lane.isHungry ? this.#slotsOf(lane) : 0;
      if (slots > 0) found.set(lane, slots);
    }
    return found;
  }

  #slotsOf(lane: Lane<Held>): number {
    if (lane.isSuspect && this.#suspects >= mostSuspect && lane.underWay === 0) return 0;
    return this.#held >= mostHeld ? 0 : slotsOf(lane);
  }

  async #take(claimed: readonly ClaimedDelivery[], hungry: ReadonlyMap<Lane<Held>, number>): Promise<void> {
    const byWebhook = Map.groupBy(claimed, ({ webhookId }) => webhookId);
    // Who got all that was asked for may have more.
    for (const [lane, slots] of hungry) {
      if ((byWebhook.get(lane.id)?.length ?? 0) >= slots) lane.isHungry = true;
      else this.#parts.onDrained(lane.id);
    }
    await this.#knowSenders(byWebhook);
    const takenAtMs = performance.now();
    for (const delivery of claimed) {
      const lane = this.#laneOf(delivery.webhookId);
      const withheld = whyWithheld(delivery);
      if (withheld !== undefined) this.#settle(withheldAs(delivery, withheld));
      else this.#hold(lane, { ...delivery, takenAtMs, isTrial: delivery.isParked });
    }
  }

  /** Reads anew what has changed since it was read. */
  async #knowSenders(byWebhook: ReadonlyMap<string, readonly ClaimedDelivery[]>): Promise<void> {
    const { db, keyring, log } = this.#parts;
    const unknown = [...byWebhook].filter(([id, [first]]) => this.#lanes.get(id)?.sender?.version !== first!.version);
    if (unknown.length === 0) return;
    const rows = await selectSenders(
      db,
      unknown.map(([id]) => id),
    );
    for (const row of rows) {
      try {
        this.#laneOf(row.id).sender = openSender(keyring, row);
      } catch (error) {
        log.error({ err: error, webhook_id: row.id }, "A webhook's secret cannot be read.");
      }
    }
  }

  #hold(lane: Lane<Held>, held: Held): void {
    lane.waiting.push(held);
    this.#held += 1;
    this.#enqueue(lane);
  }

  #enqueue(lane: Lane<Held>): void {
    if (lane.isQueued || lane.waiting.length === 0 || lane.underWay >= lane.width) return;
    lane.isQueued = true;
    this.#queue.push(lane);
  }

  /** One of each in turn, as long as there is room. */
  #begin(): void {
    const passed: Lane<Held>[] = [];
    while (this.#queue.length > 0 && this.#underWay < mostUnderWay) {
      const lane = this.#queue.shift()!;
      lane.isQueued = false;
      if (lane.isSuspect && this.#suspects >= mostSuspect) {
        passed.push(lane);
        continue;
      }
      const held = lane.waiting.shift();
      if (held === undefined) continue;
      void this.#attempt(lane, held);
      this.#enqueue(lane);
    }
    for (const lane of passed) this.#enqueue(lane);
  }

  async #attempt(lane: Lane<Held>, held: Held): Promise<void> {
    const { clock, dialler, userAgent, leaseMs } = this.#parts;
    const { sender } = lane;
    const isLate = performance.now() - held.takenAtMs > leaseMs - attemptMs;
    if (sender === undefined || isLate || this.#stopping.signal.aborted) {
      this.#giveBack([held]);
      return;
    }
    const wasSuspect = lane.isSuspect;
    lane.underWay += 1;
    this.#underWay += 1;
    if (wasSuspect) this.#suspects += 1;
    let attempted: Attempted;
    try {
      attempted = await attemptDelivery({ clock, dialler, userAgent, underWay: this.#attempts }, sender, held);
    } catch (error) {
      this.#parts.log.error({ err: error, delivery_id: held.id }, "A delivery could not be attempted.");
      attempted = failedHere(held, clock.now(), sender.url.href);
    } finally {
      lane.underWay -= 1;
      this.#underWay -= 1;
      if (wasSuspect) this.#suspects -= 1;
    }
    if (this.#isEnding) this.#giveBack([held]);
    else this.#note(lane, held, attempted);
    this.#enqueue(lane);
    this.#begin();
    this.#bell.ring();
  }

  #note(lane: Lane<Held>, held: Held, { outcome, record }: Attempted): void {
    const { clock, metrics, scaleDelay } = this.#parts;
    const now = clock.now();
    const { failures, isTrial } = held;
    const verdict = judge(outcome, { failures, isTrial, now, chance: Math.random() });
    const hasArrived = verdict.type === "delivered";
    metrics.deliveries.inc({ result: hasArrived ? "delivered" : (record.fault ?? "receiver") });
    if (hasArrived) metrics.deliveryLag.observe(Math.max(0, now.getTime() - held.happenedAt.getTime()) / 1000);
    if (record.fault !== "us") {
      lane.record = noteAttempt(lane.record, now.getTime(), hasArrived);
      noteWidth(lane, hasArrived);
      // What was taken ahead would only wait for a receiver that fails.
      if (!hasArrived) this.#giveBack(lane.waiting.splice(0));
      this.#noteHealth(lane, verdict, isTrial);
    }
    // The next of the project can be taken once this one is settled.
    if (lane.sender?.keepsOrder) lane.isHungry = true;
    this.#settle(settlementOf(held, verdict, record, scaleDelay));
  }

  #noteHealth(lane: Lane<Held>, verdict: Verdict, isTrial: boolean): void {
    const { db, clock, log, scaleDelay } = this.#parts;
    void noteHealth({ db, clock, scaleDelay }, lane, { verdict, isTrial }).catch((error) =>
      log.warn({ err: error, webhook_id: lane.id }, "A webhook's health could not be noted."),
    );
  }

  #settle(settlement: Settlement): void {
    if (settlement.attempt !== null) this.#held -= 1;
    this.#ended.push(settlement);
    this.#bell.ring();
  }

  /** What cannot be given back comes due by itself when its lease ends. */
  #giveBack(held: readonly Held[]): void {
    if (held.length === 0) return;
    this.#held -= held.length;
    for (const { webhookId } of held) this.#laneOf(webhookId).isHungry = true;
    void giveBackDeliveries(this.#parts.db, held)
      .catch(() => undefined)
      .finally(() => this.#bell.ring());
  }

  #laneOf(webhookId: string): Lane<Held> {
    let lane = this.#lanes.get(webhookId);
    if (lane === undefined) {
      lane = newLane(webhookId);
      this.#lanes.set(webhookId, lane);
    }
    return lane;
  }

  /** What is remembered of webhooks is bounded: who is idle is forgotten. */
  #dropIdleLanes(): void {
    if (this.#lanes.size <= mostLanes) return;
    for (const lane of this.#lanes.values())
      if (lane.waiting.length + lane.underWay + lane.promised === 0 && !lane.isHungry) this.#lanes.delete(lane.id);
  }
}

const mostLanes = 5_000;

function whyWithheld({ data, mayRead }: ClaimedDelivery): string | undefined {
  if (data === null) return "The project is gone.";
  return mayRead ? undefined : "The webhook's owner may not read the project.";
}

function withheldAs({ id, fence }: ClaimedDelivery, reason: string): Settlement {
  return { id, fence, status: "withheld", reason, delayMs: null, isCounted: false, attempt: null };
}

function settlementOf(
  { id, fence }: Held,
  verdict: Verdict,
  attempt: Attempted["record"],
  scaleDelay: (ms: number) => number,
): Settlement {
  switch (verdict.type) {
    case "delivered":
      return { id, fence, status: "delivered", reason: null, delayMs: null, isCounted: false, attempt };
    case "retry": {
      const delayMs = scaleDelay(verdict.delayMs);
      return { id, fence, status: "pending", reason: null, delayMs, isCounted: verdict.isCounted, attempt };
    }
    case "failed":
      return { id, fence, status: "failed", reason: verdict.error, delayMs: null, isCounted: true, attempt };
  }
}

function failedHere({ attemptCount }: Held, now: Date, url: string): Attempted {
  const error = "The service itself failed; the logs know more.";
  return {
    outcome: { kind: "unanswered", fault: "us", error },
    record: {
      number: attemptCount + 1,
      at: now.toISOString(),
      duration_ms: 0,
      connect_ms: null,
      request: { url, body_bytes: 0, body_sha256: "" },
      response: null,
      fault: "us",
      error,
    },
  };
}
