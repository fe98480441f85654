import { readFileSync, readlinkSync } from "node:fs";
import type { Process } from "./process-stat.ts";

/**
 * How many sockets there are in a sandbox's network, where it has one of its own: also connections that nobody has accepted,
 * which are no open files of a process.
 */
export function networkSockets(namespaceInit: Process | undefined): number {
  if (namespaceInit === undefined) return 0;
  try {
    const folder = `/proc/${namespaceInit.pid}`;
    // The machine's, which is everybody's.
    if (readlinkSync(`${folder}/ns/net`) === readlinkSync("/proc/self/ns/net")) return 0;
    const text = readFileSync(`${folder}/net/sockstat`, "latin1");
    return Number(/^sockets: used (\d+)/.exec(text)?.[1] ?? 0);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
