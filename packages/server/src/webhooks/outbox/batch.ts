import type { LogPlace } from "../../events/index.ts";
import type { Book, Ending, Held } from "../delivery/held.ts";
import type { Lease } from "../delivery/store.ts";
import { makeDeliveries } from "./make-deliveries.ts";
import type { ReadPortion } from "./reading/store.ts";
import { type BatchRow, type BatchRun, type Counted, mostInRun, type WrittenDelivery } from "./store.ts";

/** Where what has a row is written down. */
type Rows = Pick<Book, "settle" | "giveBack">;

/** A delivery that is posted before it has a row. */
export interface LogDelivery extends Held {
  readonly version: number;
  readonly eventSequence: number;
  readonly sequence: number;
}

/** What became of a batch by now. */
interface Told {
  readonly runs: readonly BatchRun[];
  readonly rows: readonly BatchRow[];
  readonly counted: readonly Counted[];
}

/** Longer texts of attempts are written in several runs: whoever reads a page of them reads whole ones. */
const mostTextInRun = 1_000_000;

/**
 * A part of the log that is being delivered: deliveries are posted first, and written when most have ended, so that those
 * are written once, and many of them in one row. Until then this is the book of what becomes of them.
 */
export class Batch implements Book {
  readonly after: LogPlace;
  readonly upTo: LogPlace;
  readonly deliveries: readonly LogDelivery[];
  /** How many of each webhook's and project's there are, by both: what the sequences grow by. */
  readonly totals: ReadonlyMap<string, number>;
  readonly #counted: readonly Counted[];
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
    read: ReadPortion,
    { rows, countedBefore }: { rows: Rows; countedBefore: ReadonlyMap<string, number> },
  ) {
    const last = read.events.at(-1)!;
    this.after = after;
    this.upTo = { xid: last.xid, projectId: last.projectId, sequence: last.sequence };
    this.#rows = rows;
    const takenAtMs = performance.now();
    const keys = read.matches.map(({ webhookId, projectId }) => keyOf(webhookId, projectId));
    const matches = read.matches.map((match, at) => {
      const before = countedBefore.get(keys[at]!) ?? 0;
      return before === 0 ? match : { ...match, counted: match.counted + before };
    });
    const { deliveries, counts } = makeDeliveries(
      { events: read.events, matches },
      (event, { webhookId, version, counted }, number): LogDelivery => ({
        webhookId,
        version,
        eventId: event.id,
        event: event.name,
        projectId: event.projectId,
        eventSequence: event.sequence,
        sequence: counted + number,
        data: event.data,
        happenedAt: event.happenedAt,
        attemptCount: 0,
        failures: 0,
        takenAtMs,
        isTrial: false,
        book: this,
      }),
    );
    this.deliveries = deliveries;
    this.totals = new Map(keys.map((key, at) => [key, counts[at]!]));
    this.#counted = matches.flatMap(({ webhookId, projectId, counted }, at) =>
      counts[at] === 0 ? [] : [{ webhookId, projectId, last: counted + counts[at]! }],
    );
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

  /** What became of the deliveries by now: what arrived is in runs. */
  told(): Told {
    const runs: { webhookId: string; deliveries: LogDelivery[]; attempts: string[]; length: number }[] = [];
    const rows: BatchRow[] = [];
    const latest = new Map<string, (typeof runs)[number]>();
    for (const delivery of this.deliveries) {
      const ending = this.#ended.get(delivery);
      if (ending?.status !== "delivered") {
        rows.push(rowOf(delivery, ending, this.#open.has(delivery)));
        continue;
      }
      const { webhookId } = delivery;
      let run = latest.get(webhookId);
      if (run === undefined || run.deliveries.length >= mostInRun || run.length >= mostTextInRun) {
        run = { webhookId, deliveries: [], attempts: [], length: 0 };
        latest.set(webhookId, run);
        runs.push(run);
      }
      const attempt = JSON.stringify(ending.attempt);
      run.deliveries.push(delivery);
      run.attempts.push(attempt);
      run.length += attempt.length;
    }
    return { runs, rows, counted: this.#counted };
  }

  /** It is written, with what was known: what has ended since is settled by its row. */
  noteWritten(written: readonly WrittenDelivery[]): void {
    this.#state = "written";
    const leases = new Map<string, Lease>();
    for (const { id, webhookId, eventId, isTaken } of written)
      if (isTaken) leases.set(keyOf(webhookId, eventId), { id, fence: 1 });
    if (leases.size === 0) return;
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

function rowOf(delivery: LogDelivery, ending: Ending | undefined, isOpen: boolean): BatchRow {
  if (ending === undefined) return { delivery, state: isOpen ? "taken" : "due" };
  const { status, ...rest } = ending;
  return { ...rest, delivery, state: status as Exclude<typeof status, "delivered"> };
}

function keyOf(webhookId: string, other: string): string {
  return `${webhookId} ${other}`;
}
