import { BoundedCalls } from "../project-files/index.ts";

/** Half of the threads of Node's pool, for all runs. */
const reads = new BoundedCalls(2);
/** How long a list of a process's memory takes at most, unless its threads keep us from reading. */
const limitMs = 3_000;

/**
 * Reads what the kernel tells of a process's memory or events. It makes whoever reads wait for whoever changes them, so that
 * a program with many threads could occupy all of ours. Rejects where they take too long.
 */
export function waitingRead<T>(path: string, read: () => Promise<T>): Promise<T> {
  return reads.run(read, { path, limitMs });
}
