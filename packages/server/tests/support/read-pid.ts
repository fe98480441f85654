import { readFileSync } from "node:fs";

/** The process whose number somebody writes there; nothing while it is not written: the group 0 is our own. */
export function readPid(file: string): number | undefined {
  try {
    return Number(readFileSync(file, "utf8").split("\n")[0]) || undefined;
  } catch {
    return undefined;
  }
}
