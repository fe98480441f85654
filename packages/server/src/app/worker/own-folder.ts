import { mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { processExists } from "../../platform/process/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import type { Config } from "../config.ts";

/** Makes a folder for this process alone; ends and removes what dead workers left beside it. */
export async function makeOwnFolder(folder: string, sandbox: Config["sandbox"]): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const [, pid] = /^worker-(\d+)-\w+$/.exec(name) ?? [];
    if (pid === undefined || (await isAlive(Number(pid)))) continue;
    const left = join(folder, name);
    // The sandbox finds the programs of a dead worker by its folder.
    await (await createSandbox({ mode: sandbox, dataFolder: left })).sweepOrphans();
    await removeFolder(left);
  }
  return mkdtemp(join(folder, `worker-${process.pid}-`));
}

/** A dead process that nobody has asked for yet still has its number. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat !== undefined) return !/\) [ZX] /.test(stat);
  return processExists(pid);
}
