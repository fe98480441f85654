import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** What a process holds of the memory now, as the kernel counts it. */
export function residentMb(pid: number): number {
  return statusMb(pid, "VmRSS");
}

/**
 * The most that a process held while something was done, in MB, as the kernel kept count of it; and the most of their own that
 * the programs named so had which it started meanwhile, looked at every few milliseconds.
 */
export async function peakMemory(
  pid: number,
  started: string,
  work: () => Promise<unknown>,
): Promise<{ own: number; started: number }> {
  // Makes the kernel count anew.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  let most = 0;
  const watching = setInterval(() => {
    const now = childrenOf(pid).filter((child) => nameOf(child) === started);
    most = Math.max(
      most,
      now.reduce((sum, child) => sum + statusMb(child, "RssAnon"), 0),
    );
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(watching);
  }
  return { own: statusMb(pid, "VmHWM"), started: most };
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number),
  );
}

function nameOf(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

function statusMb(pid: number, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

/** Nothing of a process that ended while it was looked at. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
