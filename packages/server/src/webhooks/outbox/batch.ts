import type { LogPlace } from "../../events/index.ts";
import type { Book, Ending, Held } from "../delivery/held.ts";
import type { Lease } from "../delivery/store.ts";
import type { BatchDelivery, LogEvent, Match, WrittenDelivery } from "./store.ts";

/** Where what has a row is written down. */
type Rows = Pick<Book, "settle" | "giveBack">;

/** A delivery that is posted before it has a row. */
export interface LogDelivery extends Held {
  readonly version: number;
  readonly eventSequence: number;
  readonly sequence: number;
}

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

  /** Counted before: how many are not in the sequences yet, by webhook and project. */
  constructor(
    after: LogPlace,
    { events, matches }: { events: readonly LogEvent[]; matches: readonly Match[] },
    { rows, countedBefore }: { rows: Rows; countedBefore: ReadonlyMap<string, number> },
  ) {
    const last = events.at(-1)!;
    this.after = after;
    this.upTo = { xid: last.xid, projectId: last.projectId, sequence: last.sequence };
    this.#rows = rows;
    const takenAtMs = performance.now();
    const totals = new Map<string, number>();
    const told = new Map(events.map((event) => [event.id, { ...event, happenedAt: new Date(event.createdAt) }]));
    this.deliveries = matches.map(([eventId, webhookId, version, sequence]): LogDelivery => {
      const { name: event, projectId, sequence: eventSequence, data, happenedAt } = told.get(eventId)!;
      const key = keyOf(webhookId, projectId);
      totals.set(key, (totals.get(key) ?? 0) + 1);
      return {
        webhookId,
        version,
        eventId,
        event,
        projectId,
        eventSequence,
        sequence: sequence + (countedBefore.get(key) ?? 0),
        data,
        happenedAt,
        attemptCount: 0,
        failures: 0,
        takenAtMs,
        isTrial: false,
        book: this,
      };
    });
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

  /** What became of the deliveries by now. */
  told(): BatchDelivery[] {
    return this.deliveries.map((delivery) => {
      const { webhookId, eventId, event, projectId, eventSequence, sequence } = delivery;
      const about = { webhookId, eventId, event, projectId, eventSequence, sequence };
      const ending = this.#ended.get(delivery);
      if (ending === undefined) return { ...about, state: this.#open.has(delivery) ? "taken" : "due" };
      return { ...about, ...ending, state: ending.status };
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

function keyOf(webhookId: string, other: string): string {
  return `${webhookId} ${other}`;
}
