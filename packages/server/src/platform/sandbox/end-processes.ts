import { setTimeout as delay } from "node:timers/promises";
import type { ProcessTree } from "./process-tree.ts";

interface HowToEnd {
  /** How long they may clean up. */
  readonly graceMs: number;
  /** Cuts the grace short. */
  readonly atOnce: AbortSignal;
}

/** Ends all processes of a run: asked first, then stopped and killed until none is left. */
export async function endProcesses(tree: ProcessTree, { graceMs, atOnce }: HowToEnd): Promise<void> {
  if (graceMs > 0 && !atOnce.aborted) {
    const until = performance.now() + graceMs;
    for (let restMs = 5; performance.now() < until && !atOnce.aborted; restMs = Math.min(50, restMs * 2)) {
      tree.askToEnd();
      if (tree.isGone) return;
      await delay(restMs, undefined, { signal: atOnce }).catch(() => undefined);
    }
  }
  // The kernel may take its time with large ones, and with those that wait for a disk.
  for (let restMs = 1; !tree.isGone; restMs = Math.min(100, restMs * 2)) {
    tree.strike();
    await delay(restMs);
  }
}
