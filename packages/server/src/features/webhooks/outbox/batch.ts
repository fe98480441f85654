import type { LogPosition } from "../../../engine/events/index.ts";
import type { Book, Ending, Held } from "../delivery/claimed.ts";
import type { Lease } from "../delivery/store.ts";
import { attemptLine } from "../history/store.ts";
import type { Told as Read } from "./log-store.ts";
import { makeDeliveries } from "./make-deliveries.ts";
import { type BatchRow, type BatchRun, type Counted, maxInRun, type WrittenDelivery } from "./store.ts";

/** Where what has a row is written down. */
type Rows = Pick<Book, "settle" | "giveBack">;

/** A delivery that is posted before it has a row. */
export interface LogDelivery extends Held {
  readonly version: number;
  readonly eventSequence: number;
  readonly sequence: number;
  /** What became of it, while it has no row; and whether it is being posted or about to be, and waited for. */
  ending: Ending | undefined;
  isOpen: boolean;
  isAwaited: boolean;
}

/** What became of a batch by now. */
interface Told {
  readonly runs: readonly BatchRun[];
  readonly rows: readonly BatchRow[];
  readonly counted: readonly Counted[];
}

/** Longer texts of attempts are written in several runs: whoever reads a page of them reads whole ones. */
const maxTextInRun = 1_000_000;

/**
 * A part of the log that is being delivered: deliveries are posted first, and written when most have ended, so that those
 * are written once, and many of them in one row. Until then this is the book of what becomes of them.
 */
export class Batch implements Book {
  readonly after: LogPosition;
  readonly upTo: LogPosition;
  deliveries: readonly LogDelivery[];
  /** How many of each webhook's and project's there are, by both: what the sequences grow by. */
  readonly totals: ReadonlyMap<string, number>;
  readonly #counted: readonly Counted[];
  readonly #rows: Rows;
  #awaited = 0;
  #waitsUntilMs = Infinity;
  /** Who waits, until no more than so many are left. */
  #wake: (() => void) | undefined;
  #spare = 0;
  #state: "open" | "written" | "closed" = "open";

  /** Counted before: how many are not in the sequences yet, by webhook and project. */
  constructor(
    after: LogPosition,
    read: Read,
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
        ending: undefined,
        isOpen: false,
        isAwaited: false,
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
    for (const delivery of quick) {
      delivery.isAwaited = true;
      delivery.isOpen = true;
    }
    for (const delivery of others) delivery.isOpen = true;
    this.#awaited = quick.length;
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
    // Nobody else's have this book.
    const delivery = held as LogDelivery;
    delivery.isOpen = false;
    delivery.ending = ending;
    if (!delivery.isAwaited) return;
    delivery.isAwaited = false;
    this.#awaited -= 1;
    if (this.#awaited <= this.#spare) this.#wake?.();
  }

  /** Until all that is worth waiting for has ended, or no more than so many have not; or nothing has for a while; or so long in all. */
  async mostlyEnded({ silenceMs, wholeMs }: { silenceMs: number; wholeMs: number }, spare = 0): Promise<void> {
    this.#waitsUntilMs = Math.min(this.#waitsUntilMs, performance.now() + wholeMs);
    let count = -1;
    while (this.#awaited > spare && this.#awaited !== count) {
      const leftMs = this.#waitsUntilMs - performance.now();
      if (leftMs <= 0) return;
      count = this.#awaited;
      await this.#wait(Math.min(silenceMs, leftMs), spare);
    }
    // Who did not end in time is not waited for again.
    if (this.#awaited > spare) this.#waitsUntilMs = -Infinity;
  }

  /** Until no more than so many are left, or so long. */
  async #wait(maxMs: number, spare: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxMs);
    this.#spare = spare;
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }

  /** The webhooks for which something still waits or is under way. */
  unended(): Set<string> {
    const ids = new Set<string>();
    for (const { isOpen, webhookId } of this.deliveries) if (isOpen) ids.add(webhookId);
    return ids;
  }

  /** What became of the deliveries by now: what arrived is in runs. */
  told(): Told {
    const runs: { webhookId: string; deliveries: LogDelivery[]; attempts: string[]; length: number }[] = [];
    const rows: BatchRow[] = [];
    const latest = new Map<string, (typeof runs)[number]>();
    for (const delivery of this.deliveries) {
      const { webhookId, ending } = delivery;
      if (ending?.status !== "delivered") {
        rows.push(rowOf(delivery));
        continue;
      }
      let run = latest.get(webhookId);
      if (run === undefined || run.deliveries.length >= maxInRun || run.length >= maxTextInRun) {
        run = { webhookId, deliveries: [], attempts: [], length: 0 };
        latest.set(webhookId, run);
        runs.push(run);
      }
      const attempt = attemptLine(ending.attempt!);
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
    const givenBack: LogDelivery[] = [];
    if (leases.size > 0)
      for (const delivery of this.deliveries) {
        const lease = leases.get(keyOf(delivery.webhookId, delivery.eventId));
        if (lease === undefined) continue;
        delivery.lease = lease;
        if (delivery.ending !== undefined) this.#rows.settle(delivery, delivery.ending);
        else if (!delivery.isOpen) givenBack.push(delivery);
      }
    if (givenBack.length > 0) this.#rows.giveBack(givenBack);
    this.#forget();
  }

  /** It could not be written, or is somebody else's: what was posted is posted again. */
  close(): void {
    this.#state = "closed";
    this.#forget();
  }

  /** One that is still under way would keep all others from being collected. */
  #forget(): void {
    this.deliveries = [];
  }
}

function rowOf(delivery: LogDelivery): BatchRow {
  const { ending, isOpen } = delivery;
  if (ending === undefined) return { delivery, state: isOpen ? "taken" : "due" };
  const { status, ...rest } = ending;
  return { ...rest, delivery, state: status as Exclude<typeof status, "delivered"> };
}

function keyOf(webhookId: string, other: string): string {
  return `${webhookId} ${other}`;
}
