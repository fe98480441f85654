import { type LeaseState, maxEventsAtOnce, type WorkerEvent } from "@slipway/contract";
import type { UnnumberedEvent } from "../../agents/index.ts";
import { count } from "../../platform/count.ts";
import { pause } from "../../platform/pause.ts";
import { ServiceRefusal } from "./service-calls.ts";

interface Deps {
  /** Sends a batch; retries while the service cannot be reached. */
  readonly send: (events: readonly WorkerEvent[]) => Promise<LeaseState>;
  /** Called when the lease is lost or the task cancelled. */
  readonly onLost: () => void;
}

type Usage = Extract<UnnumberedEvent, { type: "usage" }>;

const batchIntervalMs = 1_000;
/** The service takes a little more. */
export const maxBatchBytes = 200_000;
/** Output in one event. */
const maxOutputLength = 32 * 1024;
/** Of this many events, or letters in them, the agent waits. All the output of an attempt has room. */
const fullAt = { events: 1_000, letters: 8 * 1024 * 1024 };

/** Sends an agent's events in order and in batches. While the service is away or slow, the agent waits: nothing is left out. */
export class EventSender {
  readonly #deps: Deps;
  readonly #waiting: UnnumberedEvent[] = [];
  #letters = 0;
  /** What was used since the last batch: a sum takes no room. */
  #usage: Usage | undefined;
  #sequence = 0;
  /** Aborted by the flush: batches no longer wait for each other. */
  readonly #hurry = new AbortController();
  #sending: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;
  /** Nobody takes events any more. */
  #isOver = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  push(event: UnnumberedEvent): void {
    if (this.#isOver) return;
    if (event.type === "usage") this.#usage = sumOf(this.#usage, event);
    else this.#add(event);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Resolves when more should be pushed. */
  async whenRoom(): Promise<void> {
    while (this.#isFull && !this.#isOver) {
      this.#room ??= Promise.withResolvers();
      await this.#room.promise;
    }
  }

  /** Waits until everything is sent, or nobody takes it any more. */
  async flush(): Promise<void> {
    this.#hurry.abort();
    await this.#sending;
  }

  #add(event: Exclude<UnnumberedEvent, Usage>): void {
    const last = this.#waiting.at(-1);
    this.#letters += lettersIn(event);
    // A slow program prints line by line.
    if (event.type === "log" && last?.type === "log" && last.stream === event.stream && fits(last.text, event.text))
      this.#waiting.splice(-1, 1, { ...last, text: last.text + event.text });
    else this.#waiting.push(event);
  }

  async #sendAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0 || this.#usage !== undefined) {
        const isTaken = await this.#send(this.#nextBatch());
        if (!isTaken) return this.#lose();
        if (!this.#isBehind) await pause(batchIntervalMs, this.#hurry.signal);
      }
    } catch (error) {
      if (error instanceof ServiceRefusal) this.#lose();
      this.#end();
    }
  }

  /** False: the task was cancelled. */
  async #send(events: readonly UnnumberedEvent[]): Promise<boolean> {
    const numbered = events.map((event, at) => ({ sequence: this.#sequence + at + 1, ...event }) as WorkerEvent);
    try {
      const { is_cancelled: isCancelled } = await this.#deps.send(numbered);
      this.#sequence += events.length;
      return !isCancelled;
    } catch (error) {
      if (!isOfContent(error)) throw error;
      return events.length > 1 ? this.#sendEach(events) : this.#leaveOut(events);
    }
  }

  /** Of events that are refused together, most may be taken alone. */
  async #sendEach(events: readonly UnnumberedEvent[]): Promise<boolean> {
    for (const event of events) if (!(await this.#send([event]))) return false;
    return true;
  }

  async #leaveOut(events: readonly UnnumberedEvent[]): Promise<boolean> {
    const text = `… ${count(events.length, "event")} left out, because the service did not take it\n`;
    const isNote = events.some((event) => event.type === "log" && event.text === text);
    return isNote || this.#send([{ type: "log", stream: "stdout", text }]);
  }

  #nextBatch(): UnnumberedEvent[] {
    let bytes = 0;
    const isFull = (event: UnnumberedEvent) => {
      bytes += Buffer.byteLength(JSON.stringify(event)) + 1;
      return bytes > maxBatchBytes;
    };
    const max = maxEventsAtOnce - 1;
    const end = this.#waiting.findIndex((event, at) => at >= max || (isFull(event) && at > 0));
    const batch = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    for (const event of batch) this.#letters -= lettersIn(event);
    if (this.#usage !== undefined) batch.unshift(this.#usage);
    this.#usage = undefined;
    if (!this.#isFull) this.#giveRoom();
    return batch;
  }

  get #isFull(): boolean {
    return this.#waiting.length >= fullAt.events || this.#letters >= fullAt.letters;
  }

  /** What waits fills a batch. */
  get #isBehind(): boolean {
    return this.#waiting.length >= maxEventsAtOnce || this.#letters >= maxBatchBytes;
  }

  #giveRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #lose(): void {
    this.#end();
    this.#deps.onLost();
  }

  #end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#giveRoom();
  }
}

/** The service would take other events. */
function isOfContent(error: unknown): boolean {
  return error instanceof ServiceRefusal && [400, 413, 422].includes(error.status);
}

function fits(before: string, more: string): boolean {
  return before.length + more.length <= maxOutputLength;
}

function sumOf(before: Usage | undefined, more: Usage): Usage {
  if (before === undefined) return more;
  const isCostKnown = before.cost_usd !== undefined || more.cost_usd !== undefined;
  return {
    type: "usage",
    input_tokens: before.input_tokens + more.input_tokens,
    output_tokens: before.output_tokens + more.output_tokens,
    ...(isCostKnown && { cost_usd: (before.cost_usd ?? 0) + (more.cost_usd ?? 0) }),
  };
}

function lettersIn(event: UnnumberedEvent): number {
  const texts = Object.values(event).flat();
  return texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}
