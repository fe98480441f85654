import { type LeaseState, maxEventsAtOnce, type WorkerEvent } from "@slipway/contract";
import type { UnnumberedEvent } from "../../agents/index.ts";
import { pause } from "../../platform/pause.ts";
import { ServiceRefusal } from "./service-calls.ts";

interface Deps {
  /** Sends a batch; retries while the service cannot be reached. */
  readonly send: (events: readonly WorkerEvent[]) => Promise<LeaseState>;
  /** Called when the lease is lost or the task cancelled. */
  readonly onLost: () => void;
}

const batchIntervalMs = 1_000;
const maxBatchBytes = 200_000;
/** While the service is away, the oldest events beyond this are dropped. */
const maxWaiting = 5_000;

/** Sends an agent's events in order and in batches, without making the agent wait. */
export class EventSender {
  readonly #deps: Deps;
  #waiting: WorkerEvent[] = [];
  #sequence = 0;
  /** Aborted by the flush: batches no longer wait for each other. */
  readonly #hurry = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  push(event: UnnumberedEvent): void {
    this.#sequence += 1;
    this.#waiting.push({ sequence: this.#sequence, ...event } as WorkerEvent);
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Waits until everything is sent, at most `maxMs`. */
  async flush(maxMs: number): Promise<void> {
    this.#hurry.abort();
    const late = new AbortController();
    await Promise.race([this.#sending, pause(maxMs, late.signal)]);
    late.abort();
  }

  async #sendAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#nextBatch();
        const { is_cancelled: isCancelled } = await this.#deps.send(batch);
        if (isCancelled) return this.#lose();
        if (this.#waiting.length < maxEventsAtOnce) await pause(batchIntervalMs, this.#hurry.signal);
      }
    } catch (error) {
      // Events that the service refuses are dropped; the work continues.
      if (error instanceof ServiceRefusal && error.isLoss) this.#lose();
    }
  }

  #nextBatch(): WorkerEvent[] {
    let bytes = 0;
    const isFull = (event: WorkerEvent) => {
      bytes += Buffer.byteLength(JSON.stringify(event)) + 1;
      return bytes > maxBatchBytes;
    };
    const end = this.#waiting.findIndex((event, at) => at >= maxEventsAtOnce || (isFull(event) && at > 0));
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  #lose(): void {
    this.#waiting = [];
    this.#deps.onLost();
  }
}
