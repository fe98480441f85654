import { readFile } from "node:fs/promises";

/** A process that has ended but was not yet taken note of by its parent counts as ended. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat !== undefined && !/\) Z /.test(stat);
}
