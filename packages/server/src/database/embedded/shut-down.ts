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

/** Ends a Postgres and waits until it is gone. */
export async function shutDown({ pid, isRunning }: Postmaster, log: Log): Promise<void> {
  for (const { signal, waitMs } of ways) {
    if (signal !== "SIGINT") log.warn({ pid, signal }, "The database takes long to stop; insisting.");
    send(pid, signal, isRunning);
    for (const deadline = Date.now() + waitMs; isRunning() && Date.now() < deadline; ) await delay(10);
    if (!isRunning()) return;
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
