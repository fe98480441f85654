import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Where tests put databases: in memory where the machine has room for it, which makes a new one ten times faster. */
export function fastFolder(): string {
  const memory = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(memory);
    // Binaries that had to be copied would not run from a place that is mounted so.
    const options = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .find((line) => line.split(" ")[1] === memory);
    if (bavail * bsize > 2e9 && options && !options.includes("noexec")) return memory;
  } catch {
    // Not on Linux.
  }
  return tmpdir();
}
