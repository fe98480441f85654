import type { LogPlace } from "../../events/index.ts";
import type { Book, Ending, Held } from "../delivery/held.ts";
import type { Lease } from "../delivery/store.ts";
import type { KnownDelivery, MatchedDelivery, ReadEvent, WrittenDelivery } from "./store.ts";

/** Where what has a row is written down. */
type Rows = Pick<Book, "settle" | "giveBack">;

/** A delivery that is posted before it has a row. */
export type LogDelivery = Held & { readonly version: number; readonly eventSequence: number };

/**
 * A part of the log that is being delivered: deliveries are posted first, and written when most have ended, so that those
 * cost one row, written once. Until then this is the book of what becomes of them.
 */
export class Batch implements Book {
  readonly after: LogPlace;
  readonly upTo: LogPlace;
  readonly deliveries: readonly LogDelivery[];
  /** How many of each webhook's and project's there are, by both: what the sequences grow by. */
  readonly totals: ReadonlyMap<string, number>;
  readonly #rows: Rows;
  readonly #ended = new Map<Held, Ending>();
  /** Being posted, or about to be. */
  readonly #open = new Set<Held>();
  readonly #awaited = new Set<Held>();
  #wake: (() => void) | undefined;
  #state: "open" | "written" | "closed" = "open";

  /** Sequences: how many were counted before, by webhook and project. */
  constructor(
    after: LogPlace,
    events: readonly ReadEvent[],
    { rows, countedBefore }: { rows: Rows; countedBefore: ReadonlyMap<string, number> },
  ) {
    const last = events.at(-1)!;
    this.after = after;
    this.upTo = { xid: last.xid, projectId: last.projectId, sequence: last.sequence };
    this.#rows = rows;
    const takenAtMs = performance.now();
    const totals = new Map<string, number>();
    this.deliveries = events.flatMap((event) =>
      event.deliveries.map(([webhookId, version, sequence]: MatchedDelivery): LogDelivery => {
        const key = keyOf(webhookId, event.projectId);
        totals.set(key, (totals.get(key) ?? 0) + 1);
        return {
          webhookId,
          version,
          eventId: event.id,
          event: event.name,
          projectId: event.projectId,
          eventSequence: event.sequence,
          sequence: sequence + (countedBefore.get(key) ?? 0),
          data: event.data,
          happenedAt: event.createdAt,
          attemptCount: 0,
          failures: 0,
          takenAtMs,
          isTrial: false,
          book: this,
        };
      }),
    );
    this.totals = totals;
  }

  has({ lease }: Held): boolean {
    return this.#state === "open" || (this.#state === "written" && lease !== undefined);
  }

  /** These are posted; the quick ones are worth waiting for. */
  begin({ quick, others }: { quick: readonly LogDelivery[]; others: readonly LogDelivery[] }): void {
    for (const delivery of quick) this.#awaited.add(delivery);
    for (const delivery of [...quick, ...others]) this.#open.add(delivery);
  }

  settle(held: Held, ending: Ending): void {
    if (held.lease !== undefined) this.#rows.settle(held, ending);
    else this.#leave(held, ending);
  }

  giveBack(held: readonly Held[]): void {
    const written = held.filter(({ lease }) => lease !== undefined);
    if (written.length > 0) this.#rows.giveBack(written);
    for (const one of held) if (one.lease === undefined) this.#leave(one);
  }

  #leave(held: Held, ending?: Ending): void {
    if (this.#state !== "open") return;
    this.#open.delete(held);
    this.#awaited.delete(held);
    if (ending !== undefined) this.#ended.set(held, ending);
    this.#wake?.();
  }

  /** Until all that is worth it has ended; or nothing has for a while; or so long in all. */
  async mostlyEnded({ silenceMs, wholeMs }: { silenceMs: number; wholeMs: number }): Promise<void> {
    const untilMs = performance.now() + wholeMs;
    let count = -1;
    while (this.#awaited.size > 0 && this.#awaited.size !== count) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return;
      count = this.#awaited.size;
      await this.#wait(Math.min(silenceMs, leftMs));
    }
  }

  /** Until the last one has ended, or so long. */
  async #wait(mostMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, mostMs);
    this.#wake = () => {
      if (this.#awaited.size === 0) resolve();
    };
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }

  /** The webhooks for which something still waits or is under way. */
  unended(): Set<string> {
    return new Set([...this.#open].map(({ webhookId }) => webhookId));
  }

  /** What is known by now of deliveries: those that have ended, and those that are being posted. */
  known(): KnownDelivery[] {
    const keys = ({ webhookId, projectId, eventSequence, sequence }: LogDelivery) => ({
      webhookId,
      projectId,
      eventSequence,
      sequence: sequence!,
    });
    return this.deliveries.flatMap((delivery): KnownDelivery[] => {
      const ending = this.#ended.get(delivery);
      if (ending !== undefined) return [{ ...keys(delivery), ...ending }];
      return this.#open.has(delivery) ? [{ ...keys(delivery), status: null }] : [];
    });
  }

  /** It is written, with what was known: what has ended since is settled by its row. */
  noteWritten(written: readonly WrittenDelivery[]): void {
    this.#state = "written";
    const leases = new Map<string, Lease>();
    for (const { id, webhookId, eventId, isTaken } of written)
      if (isTaken) leases.set(keyOf(webhookId, eventId), { id, fence: 1 });
    for (const delivery of this.deliveries) {
      const lease = leases.get(keyOf(delivery.webhookId, delivery.eventId));
      if (lease === undefined) continue;
      delivery.lease = lease;
      const ending = this.#ended.get(delivery);
      if (ending !== undefined) this.#rows.settle(delivery, ending);
      else if (!this.#open.has(delivery)) this.#rows.giveBack([delivery]);
    }
  }

  /** It could not be written, or is somebody else's: what was posted is posted again. */
  close(): void {
    this.#state = "closed";
  }
}

export function keyOf(webhookId: string, other: string): string {
  return `${webhookId} ${other}`;
}
