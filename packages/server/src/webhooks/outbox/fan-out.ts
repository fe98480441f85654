import { Bell } from "../../bell.ts";
import { type Database, isDatabaseUnavailable } from "../../database/index.ts";
import type { LogPlace } from "../../events/index.ts";
import type { Log } from "../../log.ts";
import type { TakenDelivery } from "../delivery/store.ts";
import {
  findBehind,
  isHeldBack,
  leaveOverfull,
  moveBehind,
  moveHead,
  type Offer,
  type ReadEvent,
  selectBehind,
  skipToEnd,
  takeHead,
  writeDeliveries,
} from "./store.ts";

interface Parts {
  readonly db: Database;
  readonly log: Log;
  readonly node: string;
  readonly leaseMs: number;
  /** Who delivers on this node, and has hands free. */
  readonly deliverer: {
    offer(
      only?: string,
    ): Pick<Offer, "webhookIds" | "versions" | "slots"> & { taken(deliveries: TakenDelivery[]): void };
    ring(webhookIds: Iterable<string>): void;
  };
}

/** Wake-ups are hints that may get lost: without any, it is looked this often. */
const lookMs = 1_000;
/** Until an older transaction has ended that holds events back. */
const heldBackMs = 5;
/** About so many deliveries are written by one transaction, of at most so many events. */
const mostWritten = 1_000;
const mostRead = 500;
/** More than this wait in the log, not as deliveries; counted after so many were written, so that there are never twice as many. */
const mostPending = 1_000;
const mostUncounted = 500;
const catchUpRoom = 500;
const caughtUpAtOnce = 10;
const mostBehindKnown = 10_000;

/**
 * Makes deliveries of events: reads the log in the order of its commits, and writes one row for each webhook that an event
 * is for. One node at a time does so, for all; webhooks that do not keep up go on from a place of their own.
 */
export class FanOut {
  readonly #parts: Parts;
  readonly #bell = new Bell();
  readonly #stopping = new AbortController();
  #hasFollowers = true;
  #writtenSinceCount = 0;
  /** Webhooks that are known to be behind. */
  readonly #behind = new Set<string>();
  #caughtUpAtMs = -Infinity;
  #running: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#bell.ring();
    await this.#running;
  }

  /** There may be new events. Where nobody is told of them, that can wait. */
  ring(): void {
    if (this.#hasFollowers) this.#bell.ring();
  }

  /** There may be new webhooks, or some that go on. */
  ringForWebhooks(): void {
    this.#hasFollowers = true;
    this.#caughtUpAtMs = -Infinity;
    this.#bell.ring();
  }

  /** All that waited for a webhook is on its way: if it is behind, it can go on. */
  noteDrained(webhookId: string): void {
    if (!this.#behind.has(webhookId)) return;
    this.#caughtUpAtMs = -Infinity;
    this.#bell.ring();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        const hasMore = await this.#goOn();
        await this.#catchUp();
        failures = 0;
        if (!hasMore) await this.#bell.wait((await isHeldBack(this.#parts.db)) ? heldBackMs : lookMs);
      } catch (error) {
        failures += 1;
        if (isDatabaseUnavailable(error)) this.#parts.log.debug({ err: error }, "Webhooks wait for the database.");
        else this.#parts.log.error({ err: error }, "Events could not be made deliveries.");
        await new Bell().wait(Math.min(50 * 2 ** failures, 2_000));
      }
    }
  }

  /** One step for all webhooks that keep up; whether there may be more to read. */
  async #goOn(): Promise<boolean> {
    const { db } = this.#parts;
    const offer = this.#parts.deliverer.offer();
    let events: readonly ReadEvent[] = [];
    let limit = mostRead;
    try {
      events = await db.transaction().execute(async (trx) => {
        const head = await takeHead(trx);
        if (head === undefined) return [];
        this.#hasFollowers = head.followers > 0;
        if (head.followers === 0) {
          await skipToEnd(trx);
          return [];
        }
        limit = limitFor(head.followers);
        const read = await writeDeliveries(trx, { after: head.place, limit, offer: this.#offerOf(offer) });
        const last = read.at(-1);
        if (last === undefined) return [];
        await moveHead(trx, last);
        await this.#leaveOverfull(trx, last, read);
        return read;
      });
    } finally {
      this.#hand(events, offer);
    }
    return events.length === limit;
  }

  /** Webhooks that fell behind go on from their own place, as they have room. */
  async #catchUp(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#caughtUpAtMs < lookMs) return;
    const behind = await selectBehind(this.#parts.db, { room: catchUpRoom, limit: caughtUpAtOnce });
    let hasMore = false;
    if (behind.length === 0 && this.#behind.size > mostBehindKnown) this.#behind.clear();
    for (const { webhookId } of behind) {
      const isBehind = await this.#catchUpOne(webhookId);
      if (isBehind) this.#behind.add(webhookId);
      else this.#behind.delete(webhookId);
      hasMore ||= isBehind;
    }
    // While there is more, it is looked again at once, in turn with those that keep up.
    this.#caughtUpAtMs = hasMore ? -Infinity : nowMs;
    if (hasMore) this.#bell.ring();
  }

  async #catchUpOne(webhookId: string): Promise<boolean> {
    const offer = this.#parts.deliverer.offer(webhookId);
    let events: readonly ReadEvent[] = [];
    try {
      events = await this.#parts.db.transaction().execute(async (trx) => {
        const head = await takeHead(trx);
        const after = head && (await findBehind(trx, webhookId));
        if (head === undefined || after === undefined) return [];
        const catchUp = { webhookId, upTo: head.place };
        const read = await writeDeliveries(trx, { after, catchUp, limit: mostRead, offer: this.#offerOf(offer) });
        await moveBehind(trx, webhookId, read.length < mostRead ? undefined : read.at(-1));
        return read;
      });
    } finally {
      this.#hand(events, offer);
    }
    return events.length === mostRead;
  }

  async #leaveOverfull(
    trx: Parameters<typeof leaveOverfull>[0],
    place: LogPlace,
    read: readonly ReadEvent[],
  ): Promise<void> {
    this.#writtenSinceCount += read.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
    if (this.#writtenSinceCount < mostUncounted) return;
    this.#writtenSinceCount = 0;
    for (const id of await leaveOverfull(trx, place, mostPending)) this.#behind.add(id);
  }

  #offerOf({ webhookIds, versions, slots }: Pick<Offer, "webhookIds" | "versions" | "slots">): Offer {
    const { node, leaseMs } = this.#parts;
    return { node, leaseMs, webhookIds, versions, slots };
  }

  /** What was written as taken begins at once; for the rest it is to be looked. */
  #hand(events: readonly ReadEvent[], offer: ReturnType<Parts["deliverer"]["offer"]>): void {
    const taken: TakenDelivery[] = [];
    const waiting = new Set<string>();
    for (const { id: eventId, name: event, projectId, data, createdAt: happenedAt, deliveries } of events)
      for (const [id, webhookId, sequence, isTaken] of deliveries) {
        if (!isTaken) waiting.add(webhookId);
        else {
          const first = { fence: 1, attemptCount: 0, failures: 0 };
          taken.push({ id, webhookId, eventId, event, projectId, sequence, data, happenedAt, ...first });
        }
      }
    offer.taken(taken);
    if (waiting.size > 0) this.#parts.deliverer.ring(waiting);
  }
}

function limitFor(followers: number): number {
  return Math.min(Math.max(Math.floor(mostWritten / followers), 1), mostRead);
}
