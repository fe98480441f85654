import { readdirSync, statSync } from "node:fs";
import type { Process } from "./process-stat.ts";

/** How many pseudo terminals a sandbox has made, also those that are on their way through a socket: no process has these open. */
export function sandboxTerminals(namespaceInit: Process | undefined): number {
  if (namespaceInit === undefined) return 0;
  try {
    const folder = `/proc/${namespaceInit.pid}/root/dev/pts`;
    // The machine's, which are everybody's, until bubblewrap has mounted the sandbox's own.
    if (statSync(folder).dev === statSync("/dev/pts", { throwIfNoEntry: false })?.dev) return 0;
    return readdirSync(folder).filter((name) => name !== "ptmx").length;
  } catch {
    // It has ended meanwhile, or has no such folder yet.
    return 0;
  }
}
