import type { Worker } from "node:worker_threads";
import { pause } from "./pause.ts";

/** A thread that cannot say what it has used counts as over its limit after so many times that long. */
const maxSilence = 10;
const minPauseMs = 20;

/**
 * Resolves to true once a thread has used this much time of a core from now on, or to false when the signal aborts. How long
 * it waits for a core does not count: a busy machine must not fail what is right.
 */
export async function isOverCpuLimit(worker: Worker, limitMs: number, signal: AbortSignal): Promise<boolean> {
  const usedMs = () => Promise.race([cpuMsOf(worker), pause(maxSilence * limitMs, signal).then(() => Infinity)]);
  const before = await usedMs();
  for (let used = before; !signal.aborted; used = await usedMs()) {
    if (before === Infinity || used - before >= limitMs) return true;
    // A thread uses at most as much as there was: until then there is no need to ask.
    await pause(Math.max(limitMs - (used - before), minPauseMs), signal);
  }
  return false;
}

async function cpuMsOf(worker: Worker): Promise<number> {
  // Before 24.6, Node cannot tell: what is left is the silence.
  if (typeof worker.cpuUsage !== "function") return new Promise(() => undefined);
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    // One that has ended has no id, and will never answer; any other has not begun.
    return worker.threadId === -1 ? Infinity : 0;
  }
}
