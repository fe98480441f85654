import type { Clock } from "../../../platform/clock.ts";
import type { Metrics } from "../../../platform/http/index.ts";
import type { Log } from "../../../platform/log/index.ts";
import { noteAttempt } from "../breaker.ts";
import { judge, type Verdict } from "../schedule.ts";
import { type Attempted, beginAttempt, wholeMs } from "./attempt.ts";
import { CallsInFlight } from "./calls-in-flight.ts";
import type { Held } from "./claimed.ts";
import { isNoNews } from "./health.ts";
import { type Lane, newLane, noteWidth, slotsOf } from "./sender.ts";
import { endingOf, failedHere } from "./settlement.ts";

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly dialler: Parameters<typeof beginAttempt>[0]["dialler"];
  readonly metrics: Pick<Metrics, "deliveries" | "deliveryLag">;
  readonly userAgent: string;
  readonly leaseMs: number;
  readonly scaleDelay: (ms: number) => number;
  readonly noteHealth: (lane: Lane, verdict: Verdict, isTrial: boolean) => void;
  /** Something can be taken that could not be before, or nothing is under way any more. */
  readonly onChanged: () => void;
}

/**
 * How many may be under way on this node; of receivers that fail, fewer, so that the others have room. Those that have been
 * slow make room as well, for so many in all: receivers that begin to hang together hold nobody up.
 */
const maxUnderWay = 512;
const maxSuspect = 128;
const maxWithSlow = 2_048;
/** As many as are in memory at most, those under way among them. */
const maxHeld = 2_048;
/** What is begun must end within its lease. */
const attemptMs = wholeMs + 1_000;
const maxLanes = 5_000;
const arrivedLabels = { result: "delivered" };

/** How an attempt began. */
interface Began {
  readonly wasSuspect: boolean;
  readonly atMs: number;
}

/** What this node posts. Receivers take turns, so none delays another. */
export class Postings {
  readonly lanes = new Map<string, Lane>();
  readonly #parts: Deps;
  readonly #attemptDeps: Parameters<typeof beginAttempt>[0];
  /** Lanes that have something to begin, in turn. */
  #queue: Lane[] = [];
  readonly #attempts = new CallsInFlight(wholeMs, () => this.begin());
  #isStopping = false;
  #isEnding = false;
  /** In memory, or promised to statements that are under way. */
  #held = 0;
  #inFlight = 0;
  #suspects = 0;

  constructor(parts: Deps) {
    this.#parts = parts;
    const { clock, log, dialler, userAgent } = parts;
    this.#attemptDeps = { clock, log, dialler, userAgent, inFlight: this.#attempts };
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many more may be in memory. */
  get room(): number {
    return Math.max(maxHeld - this.#held, 0);
  }

  laneOf(webhookId: string): Lane {
    let lane = this.lanes.get(webhookId);
    if (lane === undefined) {
      lane = newLane(webhookId);
      this.lanes.set(lane.id, lane);
    }
    return lane;
  }

  /** Lets a lane wait for its turn behind all others. */
  moveToEnd(lane: Lane): void {
    this.lanes.delete(lane.id);
    this.lanes.set(lane.id, lane);
  }

  /** How many more to take for a lane. */
  slotsOf(lane: Lane): number {
    if (lane.isSuspect && this.#suspects >= maxSuspect && lane.inFlight === 0) return 0;
    return Math.min(slotsOf(lane), this.room);
  }

  /** Keeps room in a lane; a negative number gives it back. */
  promise(lane: Lane, slots: number): void {
    lane.promised += slots;
    if (slots < 0) this.#makeRoom(-slots);
    else this.#held += slots;
  }

  /** Somebody may wait for it. */
  #makeRoom(count: number): void {
    const wasFull = this.room === 0;
    this.#held -= count;
    if (wasFull && count > 0) this.#parts.onChanged();
  }

  hold(held: Held): void {
    const lane = this.laneOf(held.webhookId);
    lane.waiting.push(held);
    this.#held += 1;
    this.#enqueue(lane);
  }

  /** One of each in turn, as long as there is room. */
  begin(): void {
    const passed: Lane[] = [];
    const most = Math.min(maxUnderWay + this.#attempts.slow, maxWithSlow);
    while (this.#queue.length > 0 && this.#inFlight < most) {
      const lane = this.#queue.shift()!;
      lane.isQueued = false;
      if (lane.isSuspect && this.#suspects >= maxSuspect) {
        passed.push(lane);
        continue;
      }
      const held = lane.waiting.shift();
      if (held === undefined) continue;
      this.#attempt(lane, held);
      this.#enqueue(lane);
    }
    for (const lane of passed) this.#enqueue(lane);
  }

  /** Gives back what waits in a lane, all or what is more than so many. */
  giveBackWaiting(lane: Lane, most = 0): void {
    this.#giveBack(lane, lane.waiting.splice(most));
  }

  /** What is begun may end, for a while; nothing else is begun. */
  stop(): void {
    this.#isStopping = true;
    for (const lane of this.lanes.values()) this.giveBackWaiting(lane);
  }

  /** What is still under way is given up. */
  end(): void {
    this.#isEnding = true;
    this.#attempts.abortAll();
  }

  /** What is remembered of webhooks is bounded: who is idle is forgotten. */
  dropIdleLanes(): void {
    if (this.lanes.size <= maxLanes) return;
    for (const lane of this.lanes.values())
      if (lane.waiting.length + lane.inFlight + lane.promised === 0 && !lane.isHungry) this.lanes.delete(lane.id);
  }

  #enqueue(lane: Lane): void {
    if (lane.isQueued || lane.waiting.length === 0 || lane.inFlight >= lane.width) return;
    lane.isQueued = true;
    this.#queue.push(lane);
  }

  #attempt(lane: Lane, held: Held): void {
    const { clock, log } = this.#parts;
    const { sender } = lane;
    if (!held.book.has(held)) {
      this.#makeRoom(1);
      return;
    }
    if (sender === undefined || this.#isLate(held) || this.#isStopping) {
      const { late = [], early = [] } = Object.groupBy(lane.waiting, (one) => (this.#isLate(one) ? "late" : "early"));
      lane.waiting = early;
      this.#giveBack(lane, [held, ...late]);
      return;
    }
    const began: Began = { wasSuspect: lane.isSuspect, atMs: performance.now() };
    lane.inFlight += 1;
    this.#inFlight += 1;
    if (began.wasSuspect) this.#suspects += 1;
    const onEnd = (attempted: Attempted) => this.#end(lane, held, began, attempted);
    try {
      beginAttempt(this.#attemptDeps, sender, held, onEnd);
    } catch (error) {
      log.error({ err: error, event_id: held.eventId, webhook_id: lane.id }, "A delivery could not be attempted.");
      queueMicrotask(() => onEnd(failedHere(held, clock.now(), sender.url.href)));
    }
  }

  #isLate({ takenAtMs }: Held): boolean {
    return performance.now() - takenAtMs > this.#parts.leaseMs - attemptMs;
  }

  #end(lane: Lane, held: Held, { wasSuspect, atMs }: Began, attempted: Attempted): void {
    lane.inFlight -= 1;
    this.#inFlight -= 1;
    if (atMs <= lane.slowSinceMs) lane.slow -= 1;
    if (wasSuspect) this.#suspects -= 1;
    if (this.#isEnding) this.#giveBack(lane, [held]);
    else this.#note(lane, held, attempted);
    this.#enqueue(lane);
    this.begin();
    // Otherwise nothing can be taken that could not before.
    if (lane.isHungry || wasSuspect || this.#isStopping) this.#parts.onChanged();
  }

  #note(lane: Lane, held: Held, { outcome, record }: Attempted): void {
    const { clock, metrics, scaleDelay, noteHealth } = this.#parts;
    const now = clock.now();
    const { failures, isTrial } = held;
    const verdict = judge(outcome, { failures, isTrial, now, chance: Math.random() });
    const hasArrived = verdict.type === "delivered";
    metrics.deliveries.inc(hasArrived ? arrivedLabels : { result: record.fault ?? "receiver" });
    if (hasArrived) metrics.deliveryLag.observe(Math.max(0, now.getTime() - held.happenedAt.getTime()) / 1000);
    if (record.fault !== "us") {
      lane.record = noteAttempt(lane.record, now.getTime(), hasArrived);
      noteWidth(lane, hasArrived);
      // What was taken ahead would only wait for a receiver that fails.
      if (!hasArrived) this.giveBackWaiting(lane);
      if (!isNoNews(lane, verdict)) noteHealth(lane, verdict, isTrial);
    }
    // The next of the project can be taken once this one is settled.
    if (lane.sender?.keepsOrder) lane.isHungry = true;
    this.#makeRoom(1);
    held.book.settle(held, endingOf(verdict, record, scaleDelay));
  }

  #giveBack(lane: Lane, held: readonly Held[]): void {
    if (held.length === 0) return;
    this.#makeRoom(held.length);
    lane.isHungry = true;
    for (const [book, ofBook] of Map.groupBy(held, ({ book }) => book)) book.giveBack(ofBook);
    this.#parts.onChanged();
  }
}
