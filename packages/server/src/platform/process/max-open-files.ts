import { readFileSync } from "node:fs";

/** What Node itself asks for where the system does not tell. */
const usual = 10_240;

/** How many files this process may have open; connections are files, too. */
export function maxOpenFiles(): number {
  let limits = "";
  try {
    limits = readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Only Linux tells.
  }
  const [, soft = ""] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  if (soft === "unlimited") return 2 ** 20;
  return Number(soft) || usual;
}
