import { setTimeout as delay } from "node:timers/promises";
import type { ProcessTree } from "./process-tree.ts";

interface EndOptions {
  /** How long the processes may clean up after SIGTERM. */
  readonly graceMs: number;
  /** Cuts the grace short. */
  readonly atOnce: AbortSignal;
  readonly limitMs?: number;
}

/** On a busy machine, the memory of large processes takes seconds to be gone. */
const maxWaitMs = 30_000;

/**
 * Ends all processes of a run: SIGTERM first, then SIGKILL until none is left. One that waits for a disk ends when that answers,
 * perhaps never: it is not waited for, and does nothing more on its own.
 */
export async function endProcesses(
  tree: ProcessTree,
  { graceMs, atOnce, limitMs = maxWaitMs }: EndOptions,
): Promise<void> {
  if (graceMs > 0 && !atOnce.aborted) {
    const until = performance.now() + graceMs;
    for (let restMs = 5; performance.now() < until && !atOnce.aborted; restMs = Math.min(50, restMs * 2)) {
      ask(() => tree.terminate());
      if (isGone(tree)) return;
      await delay(restMs, undefined, { signal: atOnce }).catch(() => undefined);
    }
  }
  const until = performance.now() + limitMs;
  for (let restMs = 1; !isGone(tree); restMs = Math.min(100, restMs * 2)) {
    const start = performance.now();
    ask(() => tree.kill());
    if (start > until && ask(() => tree.isKilled)) return;
    // Others have half of the time, however many processes there are.
    await delay(Math.max(restMs, performance.now() - start));
  }
}

function isGone(tree: ProcessTree): boolean {
  return ask(() => tree.isGone) ?? false;
}

/** Undefined where /proc cannot be read now, as without a file left to open: what is tried again ends the run later. */
function ask<T>(what: () => T): T | undefined {
  try {
    return what();
  } catch {
    return undefined;
  }
}
