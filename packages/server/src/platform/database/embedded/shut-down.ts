import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../log.ts";
import type { Postmaster } from "./postmaster.ts";

/** How Postgres is asked to end, and how long each way is waited for. */
const ways = [
  // Fast: ends sessions, writes everything to the disk.
  { signal: "SIGINT", waitMs: 10_000 },
  // Immediate: as after a power cut; the next start replays the log.
  { signal: "SIGQUIT", waitMs: 6_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

/** The one that writes the log reads it to its end, and so outlives the others by a moment. */
const logMs = 2_000;

/** Ends a Postgres and waits until it is gone, with all of its processes. */
export async function shutDown({ pid, isRunning }: Postmaster, log: Log): Promise<void> {
  const others = childrenOf(pid);
  for (const { signal, waitMs } of ways) {
    if (signal !== "SIGINT") log.warn({ pid, signal }, "The database takes long to stop; insisting.");
    send(pid, signal, isRunning);
    for (const deadline = Date.now() + waitMs; isRunning() && Date.now() < deadline; ) await delay(10);
    if (isRunning()) continue;
    for (const deadline = Date.now() + logMs; others.some(isAlive) && Date.now() < deadline; ) await delay(10);
    return;
  }
  throw new Error(`The database (process ${pid}) did not stop.`);
}

function send(pid: number, signal: NodeJS.Signals, isRunning: () => boolean): void {
  if (!isRunning()) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended in this very moment.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Nothing where the system does not tell. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

/** Also where nobody takes note of its end: then it is a name without a process. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
