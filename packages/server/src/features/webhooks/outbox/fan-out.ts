import { type Database, pipelinedTransaction } from "../../../platform/database/index.ts";
import type { Log } from "../../../platform/log/index.ts";
import { PollLoop } from "../../../platform/wake-up/index.ts";
import type { Deliverer } from "../delivery/deliverer.ts";
import { Batch } from "./batch.ts";
import { writeBatch } from "./batch-store.ts";
import { CatchUp } from "./catch-up.ts";
import { detachOverfull, findUnread, leaveLead, lockCursors, skipToEnd, takeLead } from "./cursor-store.ts";
import { readLog } from "./log-store.ts";

interface Deps {
  readonly db: Database;
  readonly log: Log;
  readonly node: string;
  readonly leaseMs: number;
  /** Posts on this node. */
  readonly deliverer: Pick<Deliverer, "choose" | "post" | "noteSlow" | "wake" | "settle" | "release">;
}

const pollMs = 1_000;
/** While an older transaction holds events back; doubled each time. */
const firstHeldBackMs = 5;
const maxHeldBackMs = 250;
/** A leader that is not heard of for so long has lost the lead. */
const leadMs = 5_000;
/** A batch makes about so many deliveries, of at most so many events. */
const maxDeliveries = 1_000;
const maxEvents = 500;
/** How long a batch waits for answers before it is written. */
const patience = { silenceMs: 25, maxMs: 200 };
/** A webhook with more pending deliveries gets its own cursor; checked after so many new rows. */
const maxPending = 1_000;
const maxUnchecked = 500;

/** Whether there is more in the log to deliver now, later, or not. */
type Progress = "more" | "held back" | "done";

/** Reads the log, has it posted, and writes what became of it; README.md names states, caps and invariants. */
export class FanOut {
  readonly #deps: Deps;
  readonly #loop: PollLoop;
  readonly #catchUp: CatchUp;
  #followers = 1;
  #leadsUntilMs = -Infinity;
  #heldBackMs = firstHeldBackMs;
  /** The last write failed: until one succeeds, nothing is posted before it is written. */
  #isCautious = false;
  #unchecked = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#loop = new PollLoop({
      name: "The webhook fan-out",
      log: deps.log,
      step: () => this.#step(),
      onFailed: () => {
        this.#leadsUntilMs = -Infinity;
        this.#isCautious = true;
      },
    });
    this.#catchUp = new CatchUp({
      ...deps,
      lead: () => this.#takeLead(),
      onDue: (webhookId) => deps.deliverer.wake([webhookId]),
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await leaveLead(this.#deps.db, this.#deps.node).catch(() => undefined);
  }

  /** There may be new events. Where no webhook shares the cursor, they can wait for the next poll. */
  wake(): void {
    if (this.#followers > 0) this.#loop.wake();
  }

  /** There may be new webhooks, or some that can catch up. */
  wakeForWebhooks(): void {
    this.#followers = Math.max(this.#followers, 1);
    this.#catchUp.pollSoon();
    this.#loop.wake();
  }

  /** All due deliveries of a webhook are claimed: if it is behind, it has room now. */
  noteDrained(webhookId: string): void {
    if (!this.#catchUp.isBehind(webhookId)) return;
    this.#catchUp.pollSoon();
    this.#loop.wake();
  }

  async #step(): Promise<number> {
    const progress = await this.#deliverBatch();
    const hasMoreBehind = await this.#catchUp.run();
    if (progress === "more" || hasMoreBehind) return 0;
    const isHeldBack = progress === "held back" && this.#followers > 0;
    const waitMs = isHeldBack ? this.#heldBackMs : pollMs;
    this.#heldBackMs = isHeldBack ? Math.min(this.#heldBackMs * 2, maxHeldBackMs) : firstHeldBackMs;
    return waitMs;
  }

  /** One batch for all webhooks that share the cursor. */
  async #deliverBatch(): Promise<Progress> {
    const { db, node } = this.#deps;
    if (performance.now() >= this.#leadsUntilMs) {
      const { followers, mayLead, hasUnread, hasReadable } = await findUnread(db, node);
      this.#followers = followers;
      if (!mayLead || !hasUnread) return "done";
      if (!hasReadable) return "held back";
      if (followers === 0) {
        await skipToEnd(db);
        return "done";
      }
      if (!(await this.#takeLead())) return "done";
    }
    const limit = Math.min(Math.max(Math.floor(maxDeliveries / Math.max(this.#followers, 1)), 1), maxEvents);
    const { isLeader, followers, after, events, matches, isHeldBack } = await readLog(db, node, limit);
    this.#followers = followers;
    if (!isLeader) {
      this.#leadsUntilMs = -Infinity;
      return "more";
    }
    if (events.length === 0) return isHeldBack ? "held back" : "done";
    const batch = new Batch(after, events, matches);
    await this.#post(batch);
    await this.#write(batch);
    // Also after the last event: only the next read says whether others are held back.
    return "more";
  }

  async #post(batch: Batch): Promise<void> {
    if (this.#isCautious) return;
    const { deliverer } = this.#deps;
    const chosen = deliverer.choose(batch.deliveries);
    batch.open(chosen);
    deliverer.post(chosen);
    await batch.waitForAnswers(patience);
    deliverer.noteSlow(batch.openWebhooks());
  }

  async #write(batch: Batch): Promise<void> {
    const { db, node, leaseMs, deliverer } = this.#deps;
    const { after, upTo, lastSequences } = batch;
    try {
      const { runs, rows } = batch.toRows();
      const isCheckDue = this.#unchecked + rows.length >= maxUnchecked;
      const sentAtMs = performance.now();
      const [leases, behind] = await pipelinedTransaction(db, async (trx) => {
        const locked = lockCursors(trx);
        const writing = writeBatch(trx, { node, leaseMs, leadMs, after, upTo, lastSequences, runs, rows });
        const detaching = isCheckDue ? detachOverfull(trx, maxPending) : Promise.resolve([]);
        const value = Promise.all([writing, detaching]);
        return { value, answers: [locked, value] };
      });
      if (leases === undefined) throw new Error("Another node reads the log for webhooks.");
      this.#unchecked = isCheckDue ? 0 : this.#unchecked + rows.length;
      this.#catchUp.noteBehind(behind);
      this.#leadsUntilMs = sentAtMs + leadMs / 2;
      this.#isCautious = false;
      batch.handOver(leases, deliverer);
      const due = rows.filter(({ result, isClaimed }) => result === undefined && !isClaimed);
      deliverer.wake(new Set(due.map(({ delivery }) => delivery.webhookId)));
    } catch (error) {
      batch.drop();
      throw error;
    }
  }

  async #takeLead(): Promise<boolean> {
    const sentAtMs = performance.now();
    const isLeader = await takeLead(this.#deps.db, this.#deps.node, leadMs);
    this.#leadsUntilMs = isLeader ? sentAtMs + leadMs / 2 : -Infinity;
    return isLeader;
  }
}
