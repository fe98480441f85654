import type { Stat } from "./process-stat.ts";

/**
 * How many living processes above each one, by its thread, it has its memory from by forks alone. The kernel notes for each
 * mapping of a copy from which of them its pages may be.
 */
export function forkDepths(processes: readonly Stat[]): ReadonlyMap<number, number> {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const depths = new Map<number, number>();
  const depthOf = (one: Stat): number => {
    const path: Stat[] = [];
    let at: Stat | undefined = one;
    // Where ids went to others while they were read, two may seem to be parents of each other.
    while (at !== undefined && !depths.has(at.pid) && path.length < processes.length) {
      path.push(at);
      at = at.isCopy ? byPid.get(at.parent) : undefined;
    }
    let depth = (at && depths.get(at.pid)) ?? -1;
    for (const { pid } of path.toReversed()) depths.set(pid, ++depth);
    return depths.get(one.pid)!;
  };
  return new Map(processes.map((one) => [one.thread, depthOf(one)]));
}
