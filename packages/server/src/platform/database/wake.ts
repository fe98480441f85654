import type { Log } from "./log.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { fitsOne, packPayloads, tooMany } from "./wake-payload.ts";

export interface WakerOptions {
  /** Sends one statement outside of any transaction: a `NOTIFY` inside would make commits wait for each other. */
  readonly query: (text: string, values: [channels: string[], payloads: string[]]) => Promise<unknown>;
  readonly log: Log;
}

const intervalMs = 20;
const retryPace = { firstMs: intervalMs, maxMs: 1_000 };
/** More than this, and who is woken is told to look for itself. */
const maxPayloads = 1_000;

/**
 * Collects wake-ups and sends them together: the first at once, those that follow at most every 20 ms. They are hints and
 * may get lost with the process, so who waits for one also looks from time to time.
 */
export class Waker {
  readonly #options: WakerOptions;
  /** Channel to payloads; undefined when there are too many to name. */
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

  /** Sends what is waiting, then nothing more. */
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
    // What is said in the same turn of the event loop goes with the first.
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

/** Holds the process up no longer than a moment. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
