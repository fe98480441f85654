import { isDatabaseUnavailable } from "../database/index.ts";
import type { Log } from "../log/index.ts";
import { pause } from "../pause.ts";
import { WakeUp } from "./wake-up.ts";

const firstBackOffMs = 100;
const maxBackOffMs = 2_000;

interface PollLoopOptions {
  /** Names the loop in the log: "The runner". */
  readonly name: string;
  readonly log: Pick<Log, "debug" | "error">;
  /** Does what there is to do; answers how long to wait for a wake-up before the next step, 0 for not at all. */
  readonly step: () => Promise<number>;
  /** After a step threw, before the loop backs off. */
  readonly onFailed?: () => Promise<void> | void;
}

/**
 * Repeats a step: at once while it finds more to do, else on a wake-up, else after the time it asked for. Wake-ups are hints
 * that may get lost, so a step polls. A step that throws is logged and repeated after a pause that grows with each failure.
 */
export class PollLoop {
  readonly #options: PollLoopOptions;
  readonly #wakeUp = new WakeUp();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#running !== undefined;
  }

  /** Aborted when the loop is to stop. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** There may be something to do. */
  wake(): void {
    this.#wakeUp.wake();
  }

  /** Waits for the step that is running, and begins no other. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { step, onFailed } = this.#options;
    let failures = 0;
    while (!this.signal.aborted) {
      try {
        const waitMs = await step();
        failures = 0;
        if (waitMs > 0 && !this.signal.aborted) await this.#wakeUp.wait(waitMs);
      } catch (error) {
        this.#logFailure(error);
        await onFailed?.();
        // Only the end of the loop cuts it short: a burst of wake-ups must not defeat the back-off.
        await pause(Math.min(firstBackOffMs * 2 ** Math.min(failures, 10), maxBackOffMs), this.signal);
        failures += 1;
      }
    }
  }

  #logFailure(error: unknown): void {
    const { name, log } = this.#options;
    if (isDatabaseUnavailable(error)) log.debug({ err: error }, `${name} waits for the database.`);
    else log.error({ err: error }, `${name} failed and tries again.`);
  }
}
