import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { isOverCpuLimit } from "../cpu-limit.ts";
import { oneLine } from "../one-line.ts";
import { threadEnvironment } from "../process/index.ts";

/** A value, and the schema that somebody wrote for it. */
export interface ToMatch {
  readonly schema: unknown;
  readonly value: unknown;
}

/** Patterns may take any time for a text that a program chose. What others do on the machine does not count. */
const cpuLimitMs = 2_000;

/** Why a value does not match a schema of others; undefined if it does. Compiles and compares in a thread of its own. */
export async function whyNotMatching(toMatch: ToMatch, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./schema-thread.ts", import.meta.url), {
    workerData: toMatch,
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // A thread may also fail when nobody waits for its answer any more: that must not end the service.
  worker.on("error", () => undefined);
  const ending = new AbortController();
  try {
    // How long a thread takes to start depends on the machine alone.
    await once(worker, "message", { signal });
    const isOver = isOverCpuLimit(worker, cpuLimitMs, AbortSignal.any([ending.signal, signal]));
    worker.postMessage("go");
    const answer = once(worker, "message", { signal }) as Promise<[string | null]>;
    const first = await Promise.race([answer, isOver.then((is) => (is ? undefined : answer))]);
    if (first !== undefined) return first[0] ?? undefined;
    // Ending the thread leaves its answer open.
    answer.catch(() => undefined);
    return `the answer could not be compared with the schema within ${cpuLimitMs / 1000} seconds`;
  } catch (error) {
    signal.throwIfAborted();
    return `the answer could not be compared with the schema: ${oneLine(String((error as Error).message), 200)}`;
  } finally {
    ending.abort();
    await worker.terminate();
  }
}
