import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { threadEnvironment } from "../../platform/process/index.ts";

export interface LoadToMake {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly durationMs: number;
}

/** What was measured while many requests were sent at once. */
export interface Load {
  readonly requests: number;
  readonly errors: number;
  /** Requests that got no answer, and those that would have been sent meanwhile. Times count them, `requests` does not. */
  readonly unanswered: number;
  readonly seconds: number;
  readonly averageMs: number;
  readonly percentilesMs: Readonly<Record<number, number>>;
}

/** A program that never stops sending keeps the thread from ending by itself. */
const graceMs = 10_000;

/** Where nothing could be measured. */
const nothing: Load = { requests: 0, errors: 0, unanswered: 0, seconds: 1, averageMs: 0, percentilesMs: {} };

/** Sends requests over several connections for a while, in a thread of its own; a program that breaks it has no answers. */
export async function measureLoad(toMake: LoadToMake, signal: AbortSignal): Promise<Load> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./load-thread.ts", import.meta.url), {
    workerData: toMake,
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const stop = () => void worker.terminate();
  const timer = setTimeout(stop, toMake.durationMs + graceMs);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [load] = (await Promise.race([once(worker, "message"), once(worker, "exit")])) as [Load | number];
    return typeof load === "number" ? nothing : load;
  } catch {
    return nothing;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
    signal.throwIfAborted();
  }
}
