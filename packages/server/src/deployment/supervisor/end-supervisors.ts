import { setTimeout as delay } from "node:timers/promises";
import { findByArguments, isAlive, signalProcess } from "../../platform/sandbox/index.ts";

/** Ends other supervisors of a data folder: one that is frozen would hold the addresses of what is deployed for ever. */
export async function endSupervisors(dataFolder: string): Promise<void> {
  const found = await findByArguments(["supervise", dataFolder]);
  const others = found.filter(({ pid }) => pid !== process.pid);
  for (const one of others) signalProcess(one, "SIGKILL");
  while (others.some(isAlive)) await delay(5);
}
