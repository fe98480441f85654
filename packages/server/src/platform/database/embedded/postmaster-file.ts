import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { link, readFile, rename, rm } from "node:fs/promises";
import { processExists } from "../../process/index.ts";

/** The content of `postmaster.pid`, which Postgres writes step by step as it starts. */
export interface PostmasterFile {
  readonly pid: number;
  readonly data: string;
  readonly sockets: string;
  readonly status: string;
}

export async function readPostmasterFile(path: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  const [pid, data = "", , , sockets = "", , , status = ""] = text.split("\n").map((line) => line.trim());
  return Number(pid) > 0 ? { pid: Number(pid), data, sockets, status } : undefined;
}

/** Whether the process is the Postgres that wrote the file, and not another one that got its id since. */
export function isStillRunning({ pid, data }: Pick<PostmasterFile, "pid" | "data">): boolean {
  const command = commandLine(pid);
  return command.includes("postgres") && command.includes(data);
}

/**
 * Removes a lock file whose process is gone but whose id is in use again: Postgres would take the other process for its
 * owner. In containers, ids start anew and so repeat at once.
 */
export async function removeStaleLock(path: string): Promise<void> {
  const found = await readPostmasterFile(path);
  if (!found || !processExists(found.pid) || isStillRunning(found)) return;
  const aside = `${path}.stale-${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readPostmasterFile(aside);
  // Another starter came first, and its Postgres has written the file anew.
  if (moved && (moved.pid !== found.pid || isStillRunning(moved))) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/** Empty for a process that is gone, or that has ended and was not yet reaped. */
function commandLine(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return execFileSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" });
  } catch {
    return "";
  }
}
