import type { LogPosition } from "../../../engine/events/index.ts";
import { type Database, isDatabaseUnavailable, pipelinedTransaction } from "../../../platform/database/index.ts";
import type { Log } from "../../../platform/log/index.ts";
import { WakeUp } from "../../../platform/wake-up/index.ts";
import type { Deliverer } from "../delivery/deliverer.ts";
import { maxWidth } from "../delivery/sender.ts";
import { Batch } from "./batch.ts";
import { CatchUp } from "./catch-up.ts";
import { findNews, hasUnread, holdHead, leaveLead, leaveOverfull, skipToEnd, takeLead } from "./cursor-store.ts";
import { readBatch } from "./log-store.ts";
import { writeBatch } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly log: Log;
  readonly node: string;
  readonly leaseMs: number;
  /** Who delivers on this node. */
  readonly deliverer: Pick<Deliverer, "choose" | "post" | "trim" | "wake" | "offer" | "rows">;
}

/** Wake-ups are hints that may get lost: without any, it is looked this often. */
const pollMs = 1_000;
/** Until an older transaction has ended that holds events back; longer each time. */
const heldBackMs = 5;
const longHeldBackMs = 250;
/** A node that is not heard of for so long leads no more. */
const leadMs = 5_000;
/** About so many deliveries are made at a time, of at most so many events; of more, where those were posted so soon. */
const maxWritten = 1_000;
const maxRead = 250;
const maxReadWhenQuick = 500;
const quickMs = 50;
/** What is posted is waited for as long as something ends, but not for longer in all. */
const patience = { silenceMs: 25, wholeMs: 200 };
/** More than this wait in the log, not as deliveries; counted after so many were written, so that there are never twice as many. */
const maxPending = 1_000;
const maxUncounted = 500;
/** One is written, one is posted, and one was written while the next was read. */
const maxUnwritten = 3;

/**
 * Makes deliveries of events: reads the log in the order of its commits, has posted what can be at once, and then writes what
 * became of it for each webhook that an event is for. One node at a time does so, for all that keep up. While one
 * batch is written, the next is posted; what was posted and not written when the node dies comes again.
 */
export class FanOut {
  readonly #parts: Deps;
  readonly #wakeUp = new WakeUp();
  readonly #stopping = new AbortController();
  readonly #catchUp: CatchUp;
  #hasFollowers = true;
  #limit = maxRead;
  /** The last batch was full, and soon posted. */
  #isQuick = false;
  /** Up to where the log was read, while this node leads. */
  #place: LogPosition | undefined;
  #leadsUntilMs = -Infinity;
  /** The last batches: some may not be written yet. */
  #latest: readonly Batch[] = [];
  #ahead: ReturnType<typeof readBatch> | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** The last writing failed: until one succeeds, nothing is posted before it is written. */
  #isCautious = false;
  #uncounted = 0;
  #running: Promise<void> | undefined;

  constructor(parts: Deps) {
    this.#parts = parts;
    this.#catchUp = new CatchUp({ ...parts, lead: () => this.#leadAlone(), onMore: () => this.#wakeUp.wake() });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.wake();
    await this.#running;
    await leaveLead(this.#parts.db, this.#parts.node).catch(() => undefined);
  }

  /** There may be new events. Where nobody is told of them, that can wait. */
  wake(): void {
    if (this.#hasFollowers) this.#wakeUp.wake();
  }

  /** There may be new webhooks, or some that go on. */
  ringForWebhooks(): void {
    this.#hasFollowers = true;
    this.#catchUp.look();
    this.#wakeUp.wake();
  }

  /** All that waited for a webhook is on its way: if it is behind, it can go on. */
  noteDrained(webhookId: string): void {
    if (this.#catchUp.noteDrained(webhookId)) this.#wakeUp.wake();
  }

  async #run(): Promise<void> {
    let failures = 0;
    let waitMs = heldBackMs;
    while (!this.#stopping.signal.aborted) {
      try {
        const hasMore = await this.#goOn();
        await this.#catchUp.goOn();
        if (!hasMore) {
          const { db, node } = this.#parts;
          const isHeldBack = this.#hasFollowers && (await hasUnread(db, { node, after: this.#place }));
          await this.#wakeUp.wait(isHeldBack ? waitMs : pollMs);
          waitMs = isHeldBack ? Math.min(waitMs * 2, longHeldBackMs) : heldBackMs;
        }
        failures = 0;
      } catch (error) {
        failures += 1;
        await this.#writing.catch(() => undefined);
        this.#writing = Promise.resolve();
        this.#lose();
        this.#isCautious = true;
        if (isDatabaseUnavailable(error)) this.#parts.log.debug({ err: error }, "Webhooks wait for the database.");
        else this.#parts.log.error({ err: error }, "Events could not be made deliveries.");
        await new WakeUp().wait(Math.min(50 * 2 ** failures, 2_000));
      }
    }
    await this.#writing.catch(() => undefined);
  }

  /** One step for all webhooks that keep up; whether there may be more to read. */
  async #goOn(): Promise<boolean> {
    const { deliverer } = this.#parts;
    const after = await this.#leadFrom();
    if (after === undefined) return false;
    const { head, ...read } = await (this.#ahead ?? this.#read(after));
    this.#ahead = undefined;
    this.#noteFollowers(head.followers);
    const countedBefore = this.#countedBefore(head.place, after);
    if (!head.isMine || countedBefore === undefined) {
      await this.#writing;
      this.#lose();
      return true;
    }
    if (read.events.length === 0) {
      // If it fails, what it was to write is still to be read.
      await this.#writing;
      return false;
    }
    const batch = new Batch(after, read, { rows: deliverer.rows, countedBefore });
    const beganMs = performance.now();
    const chosen = this.#isCautious ? { quick: [], others: [] } : deliverer.choose(batch.deliveries);
    batch.begin(chosen);
    deliverer.post([...chosen.quick, ...chosen.others]);
    this.#place = batch.upTo;
    this.#latest = [...this.#latest, batch].slice(-maxUnwritten);
    const { hasMore } = read;
    // While this is posted, what comes next is read.
    if (hasMore) this.#ahead = this.#read(batch.upTo);
    try {
      // With so few left the next are begun, so that a receiver need not be idle meanwhile.
      await batch.mostlyEnded(patience, maxWidth);
      this.#isQuick = hasMore && performance.now() - beganMs < quickMs;
      await this.#writing;
    } catch (error) {
      batch.close();
      throw error;
    }
    this.#writing = this.#write(batch);
    // Whoever waits for it next is told.
    this.#writing.catch(() => this.#wakeUp.wake());
    return hasMore;
  }

  #read(after: LogPosition): ReturnType<typeof readBatch> {
    const reading = readBatch(this.#parts.db, { node: this.#parts.node, after, limit: this.#limit });
    reading.catch(() => undefined);
    return reading;
  }

  /** How much was counted by batches that were not written yet when it was read; nothing if the head is nowhere among them. */
  #countedBefore(head: LogPosition, after: LogPosition): ReadonlyMap<string, number> | undefined {
    const counted = new Map<string, number>();
    if (isSame(head, after)) return counted;
    const first = this.#latest.findIndex((batch) => isSame(batch.after, head));
    if (first === -1) return undefined;
    for (const { totals } of this.#latest.slice(first))
      for (const [key, total] of totals) counted.set(key, (counted.get(key) ?? 0) + total);
    return counted;
  }

  /** The place from which to read on, if this node leads, or there is something to lead for. */
  async #leadFrom(): Promise<LogPosition | undefined> {
    const { db } = this.#parts;
    if (this.#place !== undefined && performance.now() < this.#leadsUntilMs) return this.#place;
    await this.#writing;
    this.#lose();
    const { hasNews, followers } = await findNews(db);
    this.#noteFollowers(followers);
    if (!hasNews) return undefined;
    if (followers === 0) {
      await db.transaction().execute(async (trx) => {
        await holdHead(trx);
        await skipToEnd(trx);
      });
      return undefined;
    }
    return this.#takeLead();
  }

  async #takeLead(): Promise<LogPosition | undefined> {
    const { db, node } = this.#parts;
    const nowMs = performance.now();
    const head = await takeLead(db, { node, leadMs });
    this.#place = head?.place;
    this.#leadsUntilMs = nowMs + leadMs / 2;
    return head?.place;
  }

  /** Leads, with nothing that was read and is not written. */
  async #leadAlone(): Promise<boolean> {
    await this.#writing;
    this.#lose();
    return (await this.#takeLead()) !== undefined;
  }

  #noteFollowers(followers: number): void {
    this.#hasFollowers = followers > 0;
    const most = this.#isQuick ? maxReadWhenQuick : maxRead;
    this.#limit = Math.min(Math.max(Math.floor(maxWritten / Math.max(followers, 1)), 1), most);
  }

  /** What is known here of where the log was read to no longer holds. */
  #lose(): void {
    this.#place = undefined;
    this.#latest = [];
    this.#ahead = undefined;
  }

  async #write(batch: Batch): Promise<void> {
    const { db, node, leaseMs, deliverer } = this.#parts;
    const { after, upTo } = batch;
    try {
      await batch.mostlyEnded(patience);
      deliverer.trim(batch.unended());
      const told = batch.told();
      this.#uncounted += told.rows.length;
      const counts = this.#uncounted >= maxUncounted;
      const sentAtMs = performance.now();
      const [written, behind] = await pipelinedTransaction(db, async (trx) => {
        const locked = holdHead(trx);
        const writing = writeBatch(trx, { node, leaseMs, leadMs, after, upTo, ...told });
        const leaving = counts ? leaveOverfull(trx, upTo, maxPending) : Promise.resolve([]);
        const value = Promise.all([writing, leaving]);
        return { value, answers: [locked, value] };
      });
      if (written === undefined) throw new Error("Another node reads the log for webhooks.");
      if (counts) this.#uncounted = 0;
      this.#catchUp.noteBehind(behind);
      this.#leadsUntilMs = sentAtMs + leadMs / 2;
      this.#isCautious = false;
      batch.noteWritten(written);
      deliverer.wake(new Set(written.filter(({ isTaken }) => !isTaken).map(({ webhookId }) => webhookId)));
    } catch (error) {
      batch.close();
      throw error;
    }
  }
}

function isSame(a: LogPosition, b: LogPosition): boolean {
  return a.xid === b.xid && a.projectId === b.projectId && a.sequence === b.sequence;
}
