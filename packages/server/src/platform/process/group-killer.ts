import type { ChildProcess } from "node:child_process";

/**
 * Kills a child that leads a process group, and all in that group, whenever it is called. What the child has left of its group
 * is killed when it ends: once it was waited for, the group's id goes to others as soon as the group is empty.
 */
export function groupKiller(child: ChildProcess): () => void {
  const { pid } = child;
  if (pid === undefined) return () => undefined;
  const kill = () => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  let isOurs = true;
  child.once("exit", () => {
    kill();
    isOurs = false;
  });
  return () => {
    if (isOurs) kill();
  };
}
