import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { threadEnvironment } from "../process/index.ts";

/** A value, and the schema that somebody wrote for it. */
export interface ToMatch {
  readonly schema: unknown;
  readonly value: unknown;
}

/** Patterns may take any time for a text that a program chose. */
const limitMs = 2_000;

/** Why a value does not match a schema of others; undefined if it does. Compiles and compares in a thread of its own. */
export async function whyNotMatching(toMatch: ToMatch, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./schema-thread.ts", import.meta.url), {
    workerData: toMatch,
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  let limit: AbortSignal | undefined;
  try {
    // How long a thread takes to start depends on the machine alone.
    await once(worker, "message", { signal });
    limit = AbortSignal.timeout(limitMs);
    worker.postMessage("go");
    const [reason] = (await once(worker, "message", { signal: AbortSignal.any([limit, signal]) })) as [string | null];
    return reason ?? undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (limit?.aborted) return `the answer could not be compared with the schema within ${limitMs / 1000} seconds`;
    return `the answer could not be compared with the schema: ${String((error as Error).message).slice(0, 200)}`;
  } finally {
    await worker.terminate();
  }
}
