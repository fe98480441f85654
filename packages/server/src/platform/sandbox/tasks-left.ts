import { dirname, join } from "node:path";
import { readSmall } from "./read-small.ts";

/**
 * How many processes and threads may still be started on this machine, and in the control groups that the service is in;
 * infinite where nobody can tell. A folder that stands for `/` is for tests.
 */
export function tasksLeft(root = "/"): number {
  const read = (path: string) => readSmall(join(root, path)).trim();
  const ofAll = /^\S+ \S+ \S+ \d+\/(\d+)/.exec(read("proc/loadavg"));
  const ofMachine = [read("proc/sys/kernel/pid_max"), read("proc/sys/kernel/threads-max")].map((most) =>
    leftOf(most, ofAll?.[1]),
  );
  const ofGroups = controlGroups(read("proc/self/cgroup")).map((folder) =>
    leftOf(read(join(folder, "pids.max")), read(join(folder, "pids.current"))),
  );
  return Math.min(...ofMachine, ...ofGroups);
}

/** Where more are in use than there may be, the two do not belong together. */
function leftOf(most: string, used = ""): number {
  const left = Number(most) - Number(used);
  return most === "" || used === "" || !(left >= 0) ? Number.POSITIVE_INFINITY : left;
}

/** Folders of the groups that may have a limit: `8:pids:/a/b` of the first version, `0::/a/b` of the second. */
function controlGroups(own: string): string[] {
  return own.split("\n").flatMap((line) => {
    const [, controllers = "none", path = "/"] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers !== "" && !controllers.split(",").includes("pids")) return [];
    const top = controllers === "" ? "sys/fs/cgroup" : "sys/fs/cgroup/pids";
    const folders: string[] = [];
    for (let at = join("/", path); at !== "/"; at = dirname(at)) folders.push(join(top, at));
    return [...folders, top];
  });
}
