import { once } from "node:events";
import { Worker } from "node:worker_threads";

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
  readonly seconds: number;
  readonly averageMs: number;
  readonly percentilesMs: Readonly<Record<number, number>>;
}

/** Sends requests over several connections for a while, in a thread of its own. */
export async function measureLoad(toMake: LoadToMake, signal: AbortSignal): Promise<Load> {
  const worker = new Worker(new URL("./load-thread.ts", import.meta.url), {
    workerData: toMake,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [load] = (await Promise.race([once(worker, "message"), rejectedAtExit(worker)])) as [Load];
    return load;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

async function rejectedAtExit(worker: Worker): Promise<never> {
  await once(worker, "exit");
  throw new Error("The thread that makes the load ended early.");
}
