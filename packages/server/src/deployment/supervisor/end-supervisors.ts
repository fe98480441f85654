import { setTimeout as delay } from "node:timers/promises";
import { findByArguments, isAlive, type Process, signalProcess } from "../../platform/sandbox/index.ts";

/** The kernel may keep a process that was killed, as one that waits for a disk. */
const maxEndMs = 10_000;

/**
 * Ends supervisors of a data folder that were started before this process: one that is frozen would hold the addresses of
 * what is deployed for ever. Of several that nodes start at once, the last one stays.
 */
export async function endSupervisors(dataFolder: string): Promise<void> {
  const found = await findByArguments(["supervise", dataFolder]);
  const own = found.find(({ pid }) => pid === process.pid);
  const others = found.filter((one) => own === undefined || isBefore(one, own));
  for (const one of others) signalProcess(one, "SIGKILL");
  const endsAt = performance.now() + maxEndMs;
  while (others.some(isAlive) && performance.now() < endsAt) await delay(5);
}

function isBefore(one: Process, other: Process): boolean {
  return one.startTicks === other.startTicks ? one.pid < other.pid : one.startTicks < other.startTicks;
}
