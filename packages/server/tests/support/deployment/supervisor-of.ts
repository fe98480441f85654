import { readdirSync, readFileSync } from "node:fs";

/** The process that keeps alive what is deployed from a data folder. */
export function supervisorOf(dataFolder: string): number {
  const found = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return args.includes("supervise") && args.includes(dataFolder);
    } catch {
      return false;
    }
  });
  if (found.length !== 1) throw new Error(`There are ${found.length} supervisors of ${dataFolder}.`);
  return Number(found[0]);
}
