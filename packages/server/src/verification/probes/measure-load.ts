import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { messageOf } from "../../platform/errors/index.ts";
import { threadEnvironment } from "../../platform/process/index.ts";

export interface LoadToMake {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly durationMs: number;
}

/** What was measured while many requests were sent at once. */
export interface Load {
  /** Those that were answered. */
  readonly requests: number;
  /** Answers from 200 to 399. */
  readonly good: number;
  /** Answers from 400 to 499, which are errors, too. */
  readonly refused: number;
  /** All other answers, and connections that were lost before one: there may be more errors than answers. */
  readonly errors: number;
  /** Requests that got no answer, and those that would have been sent meanwhile. Times count them, `requests` does not. */
  readonly unanswered: number;
  readonly seconds: number;
  readonly averageMs: number;
  readonly percentilesMs: Readonly<Record<number, number>>;
  /** Why the measurement was ended before it could tell anything. */
  readonly failure?: string;
}

/** A program that never stops sending keeps the thread from ending by itself. */
const graceMs = 10_000;

/** For all answers that are on their way at a time. */
const memoryMb = 256;

/** Where nothing could be measured. */
function nothing(failure: string): Load {
  return {
    requests: 0,
    good: 0,
    refused: 0,
    errors: 0,
    unanswered: 0,
    seconds: 1,
    averageMs: 0,
    percentilesMs: {},
    failure,
  };
}

/** Sends requests over several connections for a while, in a thread of its own; a program that breaks it has no answers. */
export async function measureLoad(toMake: LoadToMake, signal: AbortSignal): Promise<Load> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./load-thread.ts", import.meta.url), {
    workerData: toMake,
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const stop = () => void worker.terminate();
  const limitMs = toMake.durationMs + graceMs;
  const timer = setTimeout(stop, limitMs);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [load] = (await Promise.race([once(worker, "message"), once(worker, "exit")])) as [Load | number];
    if (typeof load !== "number") return load;
    return nothing(`The load could not be ended within ${limitMs / 1000} seconds: the software never stops sending.`);
  } catch (error) {
    const isMemory = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
    const reason = isMemory
      ? `Its answers took more than ${memoryMb}MB of memory. Let them be shorter.`
      : messageOf(error);
    return nothing(`The load was ended. ${reason}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
    signal.throwIfAborted();
  }
}
