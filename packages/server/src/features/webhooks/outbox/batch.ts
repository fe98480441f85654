import type { LogPosition } from "../../../engine/events/index.ts";
import { WakeUp } from "../../../platform/wake-up/index.ts";
import type { DeliveryResult } from "../delivery/delivery-result.ts";
import type { Lease } from "../delivery/delivery-store.ts";
import type { DeliveryOwner, QueuedDelivery } from "../delivery/webhook-queue.ts";
import { type BatchRow, type BatchRun, maxInRun, type WrittenLease } from "./batch-store.ts";
import type { LogEvent, Match } from "./log-store.ts";
import { type LastSequence, makeDeliveries } from "./make-deliveries.ts";

/** A delivery that is posted before it has a row. */
export interface BatchDelivery extends QueuedDelivery {
  readonly version: number;
  readonly eventSequence: number;
  readonly sequence: number;
}

/** Longer answers are split over several runs: reading a page of the history reads whole runs. */
const maxAnswersInRun = 1_000_000;

/** The deliveries of one part of the log: posted first, then written together with what became of them. */
export class Batch implements DeliveryOwner {
  readonly deliveries: readonly BatchDelivery[];
  readonly lastSequences: readonly LastSequence[];
  readonly after: LogPosition;
  readonly upTo: LogPosition;
  readonly #results = new Map<QueuedDelivery, DeliveryResult>();
  readonly #open = new Set<QueuedDelivery>();
  readonly #allEnded = new WakeUp();

  constructor(after: LogPosition, events: readonly LogEvent[], matches: readonly Match[]) {
    const { xid, projectId, sequence } = events.at(-1) ?? after;
    const claimedAtMs = performance.now();
    const { deliveries, lastSequences } = makeDeliveries(events, matches);
    this.after = after;
    this.upTo = { xid, projectId, sequence };
    this.lastSequences = lastSequences;
    this.deliveries = deliveries.map(({ event, match, sequence }) => ({
      webhookId: match.webhookId,
      version: match.version,
      eventId: event.id,
      event: event.name,
      projectId: event.projectId,
      eventSequence: event.sequence,
      sequence,
      data: event.data,
      happenedAt: new Date(event.happenedAtMs),
      attemptCount: 0,
      failures: 0,
      claimedAtMs,
      isTrial: false,
      owner: this,
      lease: undefined,
    }));
  }

  /** These are about to be posted. */
  open(deliveries: readonly BatchDelivery[]): void {
    for (const delivery of deliveries) this.#open.add(delivery);
  }

  settle(delivery: QueuedDelivery, result: DeliveryResult): void {
    this.#results.set(delivery, result);
    this.#close(delivery);
  }

  release(deliveries: readonly QueuedDelivery[]): void {
    for (const delivery of deliveries) this.#close(delivery);
  }

  #close(delivery: QueuedDelivery): void {
    this.#open.delete(delivery);
    if (this.#open.size === 0) this.#allEnded.wake();
  }

  /** Waits until all have ended, or none has for a while, or so long in all. */
  async waitForAnswers({ silenceMs, maxMs }: { silenceMs: number; maxMs: number }): Promise<void> {
    const untilMs = performance.now() + maxMs;
    for (let before = Infinity; this.#open.size > 0 && this.#open.size < before; ) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return;
      before = this.#open.size;
      await this.#allEnded.wait(Math.min(silenceMs, leftMs));
    }
  }

  /** The webhooks that have not answered everything. */
  openWebhooks(): Set<string> {
    return new Set([...this.#open].map(({ webhookId }) => webhookId));
  }

  /** What became of the deliveries so far: what arrived is in runs, the rest in rows. */
  toRows(): { readonly runs: readonly BatchRun[]; readonly rows: readonly BatchRow[] } {
    const rows: BatchRow[] = [];
    const runs: { webhookId: string; deliveries: BatchDelivery[]; attempts: unknown[]; length: number }[] = [];
    const latest = new Map<string, (typeof runs)[number]>();
    for (const delivery of this.deliveries) {
      const { webhookId } = delivery;
      const result = this.#results.get(delivery);
      if (result?.status !== "delivered") {
        rows.push({ delivery, result, isClaimed: this.#open.has(delivery) });
        continue;
      }
      let run = latest.get(webhookId);
      if (run === undefined || run.deliveries.length >= maxInRun || run.length >= maxAnswersInRun) {
        run = { webhookId, deliveries: [], attempts: [], length: 0 };
        latest.set(webhookId, run);
        runs.push(run);
      }
      run.deliveries.push(delivery);
      run.attempts.push(result.attempt);
      run.length += JSON.stringify(result.attempt?.response).length;
    }
    return { runs, rows };
  }

  /** The batch is written. Those that were still open then have a row and a lease, and the next owner writes their results. */
  handOver(written: readonly WrittenLease[], next: DeliveryOwner): void {
    const leases = new Map<string, Lease>();
    for (const { webhookId, eventId, id, fence } of written) leases.set(`${webhookId} ${eventId}`, { id, fence });
    const released: BatchDelivery[] = [];
    for (const delivery of this.deliveries) {
      delivery.lease = leases.get(`${delivery.webhookId} ${delivery.eventId}`);
      delivery.owner = delivery.lease && next;
      if (delivery.lease === undefined || this.#open.has(delivery)) continue;
      // It ended while the batch was being written.
      const result = this.#results.get(delivery);
      if (result === undefined) released.push(delivery);
      else next.settle(delivery, result);
    }
    if (released.length > 0) next.release(released);
  }

  /** The batch could not be written: it is read and posted again. */
  drop(): void {
    for (const delivery of this.deliveries) delivery.owner = undefined;
  }
}
