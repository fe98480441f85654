import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../log.ts";
import type { Postmaster } from "./postmaster.ts";

/** The signals that stop Postgres, and how long we wait for each. */
const steps = [
  // Fast: ends sessions and writes everything to disk.
  { signal: "SIGINT", waitMs: 10_000 },
  // Immediate: as after a power cut; the next start replays the log.
  { signal: "SIGQUIT", waitMs: 6_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

/** The log collector reads its pipe to the end, and so outlives the others for a moment. */
const logMs = 2_000;

/** Stops a Postgres and waits until all of its processes have ended. */
export async function shutDown({ pid, isRunning }: Postmaster, log: Log): Promise<void> {
  const others = childrenOf(pid);
  for (const { signal, waitMs } of steps) {
    if (signal !== "SIGINT") log.warn({ pid, signal }, "The database takes long to stop; sending a stronger signal.");
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
    // It ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Empty on systems without /proc. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

/** A zombie, whose end nobody has noticed, does not count. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
