import type { Clock } from "../../../platform/clock.ts";
import { type Database, isDatabaseUnavailable, pipelinedTransaction } from "../../../platform/database/index.ts";
import type { Metrics } from "../../../platform/http/index.ts";
import type { Log } from "../../../platform/log/index.ts";
import { WakeUp } from "../../../platform/wake-up/index.ts";
import { judge } from "../schedule.ts";
import type { attemptDelivery } from "./attempt.ts";
import type { Held } from "./claimed.ts";
import { ClaimedRows } from "./claimed-rows.ts";
import { noteHealth } from "./health.ts";
import { Postings } from "./postings.ts";
import { type Lane, maxOf, maxWidth, noteSlow, openSender } from "./sender.ts";
import { endingOf, failedHere, whyWithheld, withheldAs } from "./settlement.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  type Settlement,
  selectDueWebhooks,
  selectSenders,
  settleDeliveries,
  type TakenDelivery,
  unparkIdle,
} from "./store.ts";

export interface DelivererDeps {
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

const maxSettled = 500;
/** Wake-ups are hints that may get lost, and retries come due by themselves. */
const pollMs = 1_000;
const patienceMs = 3_000;

/**
 * Takes deliveries that are due, has them posted, and settles what came of it. There is one lane to the database: what ends
 * while a transaction is under way is settled by the next.
 */
export class Deliverer {
  readonly #parts: DelivererDeps;
  readonly #postings: Postings;
  readonly #rows: ClaimedRows;
  readonly #wakeUp = new WakeUp();
  readonly #stopping = new AbortController();
  #lookedAtMs = -Infinity;
  #running: Promise<void> | undefined;

  constructor(parts: DelivererDeps) {
    this.#parts = parts;
    const { db, clock, log, scaleDelay } = parts;
    const onChanged = () => this.#wakeUp.wake();
    this.#rows = new ClaimedRows({ db, onEnded: onChanged, onGivenBack: (ids) => this.wake(ids) });
    this.#postings = new Postings({
      ...parts,
      noteHealth: (lane, verdict, isTrial) =>
        void noteHealth({ db, clock, scaleDelay }, lane, { verdict, isTrial }).catch((error) =>
          log.warn({ err: error, webhook_id: lane.id }, "A webhook's health could not be noted."),
        ),
      onChanged,
    });
  }

  /** The book of what has a row. */
  get rows(): ClaimedRows {
    return this.#rows;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Begins nothing more, waits a moment for what is under way, and gives the rest back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.wake();
    await this.#running;
    this.#postings.stop();
    const deadline = setTimeout(() => this.#postings.end(), patienceMs);
    while (this.#postings.inFlight > 0) await this.#wakeUp.wait(patienceMs);
    clearTimeout(deadline);
    await settleDeliveries(this.#parts.db, this.#rows.take()).catch(() => undefined);
    await this.#rows.givenBack();
  }

  /** There may be something to deliver to these. Where nothing is delivered, nothing is remembered of them. */
  wake(webhookIds: Iterable<string>): void {
    if (this.#running === undefined) return;
    for (const id of webhookIds) this.#postings.laneOf(id).isHungry = true;
    this.#wakeUp.wake();
  }

  /** A webhook was changed or deleted: what is remembered of it no longer holds. */
  forget(webhookId: string): void {
    const lane = this.#postings.lanes.get(webhookId);
    if (lane === undefined) return;
    lane.sender = undefined;
    this.#postings.giveBackWaiting(lane);
    this.wake([webhookId]);
  }

  /** How much can be taken at once for a webhook, if it is known here: promised until it is said what was taken. */
  offer(webhookId: string): { version: number; slots: number; taken: (deliveries: readonly TakenDelivery[]) => void } {
    const lane = this.#postings.laneOf(webhookId);
    const slots = lane.sender === undefined || lane.sender.isParked ? 0 : this.#postings.slotsOf(lane);
    this.#postings.promise(lane, slots);
    return {
      version: lane.sender?.version ?? 0,
      slots,
      taken: (deliveries) => {
        this.#postings.promise(lane, -slots);
        for (const delivery of deliveries) this.#hold(delivery, false);
        this.#postings.begin();
      },
    };
  }

  /**
   * What can be posted at once, of deliveries that have no row yet: all of them where hardly anything else waits, and otherwise as many
   * as there is room for. Those of the first kind are worth waiting for, before anything is written.
   */
  choose<D extends { webhookId: string; version: number }>(
    deliveries: readonly D[],
  ): { readonly quick: readonly D[]; readonly others: readonly D[] } {
    const quick: D[] = [];
    const others: D[] = [];
    for (const [webhookId, ofWebhook] of Map.groupBy(deliveries, (delivery) => delivery.webhookId)) {
      const lane = this.#postings.laneOf(webhookId);
      const { sender } = lane;
      if (sender === undefined || sender.isParked || sender.keepsOrder || sender.version !== ofWebhook[0]!.version)
        continue;
      const isQuick = !lane.isSuspect && lane.slow === 0 && lane.waiting.length + lane.promised <= maxWidth;
      if (isQuick) quick.push(...ofWebhook);
      else others.push(...ofWebhook.slice(0, this.#postings.slotsOf(lane)));
    }
    return { quick, others };
  }

  /** Begins with deliveries that were chosen. */
  post(chosen: readonly Held[]): void {
    for (const held of chosen) this.#postings.hold(held);
    this.#postings.begin();
  }

  /** More than is held for a webhook otherwise goes back: it is not as quick as it seemed. */
  trim(webhookIds: Iterable<string>): void {
    for (const id of webhookIds) {
      const lane = this.#postings.laneOf(id);
      noteSlow(lane);
      this.#postings.giveBackWaiting(lane, maxOf(lane));
    }
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#look();
        const isBusy = await this.#turn();
        failures = 0;
        if (!isBusy) await this.#wakeUp.wait(pollMs);
      } catch (error) {
        failures += 1;
        if (isDatabaseUnavailable(error)) this.#parts.log.debug({ err: error }, "Webhooks wait for the database.");
        else this.#parts.log.error({ err: error }, "Delivering to webhooks failed.");
        await new WakeUp().wait(Math.min(50 * 2 ** failures, 2_000));
      }
    }
  }

  async #look(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs < pollMs) return;
    this.#lookedAtMs = nowMs;
    await unparkIdle(this.#parts.db);
    for (const id of await selectDueWebhooks(this.#parts.db)) this.#postings.laneOf(id).isHungry = true;
    this.#postings.dropIdleLanes();
  }

  /** Settles what ended and takes what is due, in one transaction. Whether there may be more at once. */
  async #turn(): Promise<boolean> {
    const ended = this.#rows.take(maxSettled);
    const hungry = this.#hungryLanes();
    if (ended.length === 0 && hungry.size === 0) return false;
    const { db, node, leaseMs } = this.#parts;
    for (const [lane, slots] of hungry) {
      this.#postings.promise(lane, slots);
      lane.isHungry = false;
    }
    let claimed: readonly ClaimedDelivery[] = [];
    try {
      const claiming = await pipelinedTransaction(db, async (trx) => {
        const settling = settleDeliveries(trx, ended);
        const webhookIds = [...hungry.keys()].map(({ id }) => id);
        const claiming =
          hungry.size === 0
            ? Promise.resolve([])
            : claimDeliveries(trx, { node, leaseMs, webhookIds, slots: [...hungry.values()] });
        return { value: claiming, answers: [settling, claiming] };
      });
      claimed = await claiming;
    } catch (error) {
      for (const lane of hungry.keys()) lane.isHungry = true;
      if (isDatabaseUnavailable(error) || ended.length === 0) {
        this.#rows.putBack(ended);
        throw error;
      }
      this.#parts.log.error({ err: error }, "Deliveries could not be settled together; they are settled one by one.");
      for (const one of ended) await this.#settleAlone(one);
      return true;
    } finally {
      for (const [lane, slots] of hungry) this.#postings.promise(lane, -slots);
    }
    await this.#take(claimed, hungry);
    this.#postings.begin();
    return this.#rows.hasEnded || this.#hungryLanes().size > 0;
  }

  /** One that cannot be settled must not keep the others from it. Its lease ends, and it is tried again. */
  async #settleAlone(settlement: Settlement): Promise<void> {
    try {
      await settleDeliveries(this.#parts.db, [settlement]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.#rows.putBack([settlement]);
      else this.#parts.log.error({ err: error, delivery: settlement.id }, "A delivery could not be settled.");
    }
  }

  /** Who may have something to take, and how much: as much as there is room for, in turn. */
  #hungryLanes(): Map<Lane, number> {
    const found = new Map<Lane, number>();
    let { room } = this.#postings;
    for (const lane of this.#postings.lanes.values()) {
      if (room <= 0) break;
      const slots = lane.isHungry ? Math.min(this.#postings.slotsOf(lane), room) : 0;
      if (slots === 0) continue;
      found.set(lane, slots);
      room -= slots;
    }
    // Who was served goes to the end.
    if (room <= 0) for (const lane of found.keys()) this.#postings.moveToEnd(lane);
    return found;
  }

  async #take(claimed: readonly ClaimedDelivery[], hungry: ReadonlyMap<Lane, number>): Promise<void> {
    const byWebhook = Map.groupBy(claimed, ({ webhookId }) => webhookId);
    // Who got all that was asked for may have more.
    for (const [lane, slots] of hungry) {
      if ((byWebhook.get(lane.id)?.length ?? 0) >= slots) lane.isHungry = true;
      else this.#parts.onDrained(lane.id);
    }
    const unreadable = await this.#knowSenders(byWebhook);
    for (const delivery of claimed) {
      const withheld = whyWithheld(delivery);
      if (withheld !== undefined) this.#rows.settle(this.#heldOf(delivery, false), withheldAs(withheld));
      else if (unreadable.has(delivery.webhookId)) this.#failHere(delivery);
      else this.#hold(delivery, delivery.isParked);
    }
  }

  /** It cannot be posted, by no fault of the receiver: it is tried again later, and that does not count. */
  #failHere(delivery: ClaimedDelivery): void {
    const { clock, scaleDelay } = this.#parts;
    const { outcome, record } = failedHere(delivery, clock.now(), "");
    const verdict = judge(outcome, { failures: delivery.failures, isTrial: false, now: clock.now(), chance: 0.5 });
    this.#rows.settle(this.#heldOf(delivery, false), endingOf(verdict, record, scaleDelay));
  }

  /** Reads anew what has changed since it was read. Gives those that cannot be read; what is not known is given back. */
  async #knowSenders(byWebhook: ReadonlyMap<string, readonly ClaimedDelivery[]>): Promise<ReadonlySet<string>> {
    const { db, keyring, log } = this.#parts;
    const unreadable = new Set<string>();
    const { lanes } = this.#postings;
    const unknown = [...byWebhook].filter(([id, [first]]) => lanes.get(id)?.sender?.version !== first!.version);
    if (unknown.length === 0) return unreadable;
    const ids = unknown.map(([id]) => id);
    const rows = await selectSenders(db, ids).catch(() => []);
    for (const row of rows) {
      try {
        this.#postings.laneOf(row.id).sender = openSender(keyring, row);
      } catch (error) {
        log.error({ err: error, webhook_id: row.id }, "A webhook's secret cannot be read.");
        unreadable.add(row.id);
      }
    }
    return unreadable;
  }

  #hold(delivery: TakenDelivery, isTrial: boolean): void {
    this.#postings.hold(this.#heldOf(delivery, isTrial));
  }

  #heldOf({ id, fence, ...delivery }: TakenDelivery, isTrial: boolean): Held {
    return { ...delivery, takenAtMs: performance.now(), isTrial, book: this.#rows, lease: { id, fence } };
  }
}
