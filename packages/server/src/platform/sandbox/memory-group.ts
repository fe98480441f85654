import { readSmall } from "./read-small.ts";

/** Where the kernel tells of the memory of a control group. */
export interface MemoryGroup {
  /** How often it has ended a process for want of memory. */
  readonly killsPath: string;
  readonly usedPath: string;
}

const mount = "/sys/fs/cgroup";

/** The control group that limits the memory of a process; undefined where there is none, or the process has ended. */
export function memoryGroupOf(pid: number): MemoryGroup | undefined {
  return memoryGroupIn(readSmall(`/proc/${pid}/cgroup`));
}

/** The first version of control groups has a line for each kind in `/proc/<pid>/cgroup`; the second one has one for all. */
export function memoryGroupIn(groups: string): MemoryGroup | undefined {
  const own = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(\/.+)$/m.exec(groups)?.[1];
  if (own !== undefined) {
    const folder = `${mount}/memory${own}`;
    return { killsPath: `${folder}/memory.oom_control`, usedPath: `${folder}/memory.usage_in_bytes` };
  }
  const unified = /^0::(\/.+)$/m.exec(groups)?.[1];
  if (unified === undefined) return undefined;
  return { killsPath: `${mount}${unified}/memory.events`, usedPath: `${mount}${unified}/memory.current` };
}

/** Undefined once the group is gone, or where the kernel does not tell. */
export function memoryKillsIn({ killsPath }: MemoryGroup): number | undefined {
  return killsIn(killsPath);
}

/** How often the kernel has ended a process of anybody's for want of memory, be it that of a control group or of the machine. */
export function memoryKillsOfMachine(): number | undefined {
  return killsIn("/proc/vmstat");
}

function killsIn(path: string): number | undefined {
  const count = /^oom_kill (\d+)$/m.exec(readSmall(path))?.[1];
  return count === undefined ? undefined : Number(count);
}

/** With what it keeps of files; nothing once the group is gone. */
export function memoryUsedIn({ usedPath }: MemoryGroup): number {
  return Number(readSmall(usedPath));
}
