import { type LeaseState, maxEventsAtOnce, type WorkerEvent } from "@slipway/contract";
import type { UnnumberedEvent } from "../../agents/index.ts";
import { pause } from "../../platform/pause.ts";
import { ServiceRefusal } from "./service-calls.ts";

interface Deps {
  /** Sends a batch; waits as long as the service cannot be reached. */
  readonly send: (events: readonly WorkerEvent[]) => Promise<LeaseState>;
  /** The lease is lost, or the task cancelled. */
  readonly onLost: () => void;
}

/** Between two batches: what is said meanwhile goes with the next. */
const restMs = 1_000;
const maxBatchBytes = 200_000;
/** While the service is away for long, the oldest are dropped. */
const maxWaiting = 5_000;

/** Sends what an agent lets know, in order and in batches; never in the agent's way. */
export class EventSender {
  readonly #parts: Deps;
  #waiting: WorkerEvent[] = [];
  #sequence = 0;
  /** Nobody waits for more, but for the end. */
  readonly #hurry = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  push(event: UnnumberedEvent): void {
    this.#sequence += 1;
    this.#waiting.push({ sequence: this.#sequence, ...event } as WorkerEvent);
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Waits until everything is sent, or so long. */
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
        const { is_cancelled: isCancelled } = await this.#parts.send(batch);
        if (isCancelled) return this.#lose();
        if (this.#waiting.length < maxEventsAtOnce) await pause(restMs, this.#hurry.signal);
      }
    } catch (error) {
      // What the service does not take is lost; the work is not.
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
    this.#parts.onLost();
  }
}
