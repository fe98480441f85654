import { readdirSync, readFileSync } from "node:fs";

/** The process that keeps alive what is deployed from a data folder. */
export function supervisorOf(dataFolder: string): number {
  const found = supervisorsOf(dataFolder);
  if (found.length !== 1) throw new Error(`There are ${found.length} supervisors of ${dataFolder}.`);
  return found[0]!;
}

export function supervisorsOf(dataFolder: string): number[] {
  const isOne = (pid: string) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return args.includes("supervise") && args.includes(dataFolder);
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isOne(name))
    .map(Number);
}
