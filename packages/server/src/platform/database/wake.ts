import type { Log } from "./log.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { fitsOne, packPayloads, tooMany } from "./wake-payload.ts";

export interface WakerOptions {
  /** Runs one statement outside any transaction: a `NOTIFY` inside one would serialise commits. */
  readonly query: (text: string, values: [channels: string[], payloads: string[]]) => Promise<unknown>;
  readonly log: Log;
}

const intervalMs = 20;
const retryPace = { firstMs: intervalMs, maxMs: 1_000 };
/** With more payloads than this, the listener is told to poll instead. */
const maxPayloads = 1_000;

/**
 * Batches wake-ups: sends the first at once and further ones at most every 20 ms. A wake-up is a hint that a crash may lose,
 * so every listener also polls.
 */
export class Waker {
  readonly #options: WakerOptions;
  /** The payloads of each channel; undefined: too many to name. */
  #waiting = new Map<string, Set<string> | undefined>();
  #sending: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  readonly wake = (channel: string, payload: string): void => {
    if (!fitsOne(payload)) throw new RangeError(`A wake-up of ${payload.length} characters is too long.`);
    if (this.#isClosed) return;
    this.#add(channel, [payload]);
    this.#sending ??= this.#sendAll();
  };

  /** Sends the wake-ups that wait, and no further ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sending;
  }

  #add(channel: string, payloads: Iterable<string> | undefined): void {
    const known = this.#waiting.has(channel) ? this.#waiting.get(channel) : new Set<string>();
    const all = known && payloads && new Set([...known, ...payloads]);
    this.#waiting.set(channel, all && all.size <= maxPayloads ? all : undefined);
  }

  async #sendAll(): Promise<void> {
    let failures = 0;
    // Wake-ups of the same turn of the event loop go with the first.
    await nextTurn();
    while (this.#waiting.size > 0) {
      const isSent = await this.#send();
      failures = isSent ? 0 : failures + 1;
      if (failures > 0 && this.#isClosed) break;
      await pause(failures === 0 ? intervalMs : retryDelayMs(failures, retryPace));
    }
    this.#sending = undefined;
  }

  async #send(): Promise<boolean> {
    const sent = this.#waiting;
    this.#waiting = new Map();
    const pairs = [...sent].flatMap(([channel, payloads]) =>
      (payloads ? packPayloads(payloads) : [tooMany]).map((payload) => [channel, payload] as const),
    );
    const columns: [string[], string[]] = [pairs.map(([channel]) => channel), pairs.map(([, payload]) => payload)];
    try {
      await this.#options.query(
        "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as t (channel, payload)",
        columns,
      );
      return true;
    } catch (error) {
      this.#options.log.debug({ err: error }, "Wake-ups could not be sent; trying again.");
      for (const [channel, payloads] of sent) this.#add(channel, payloads);
      return false;
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Keeps the process alive, which is fine for so short a time. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
