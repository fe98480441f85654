import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

/** Whether this machine lets us mount what `stuckDisk` mounts. */
export const hasStuckDisks = process.getuid?.() === 0 && existsSync("/dev/fuse");

/**
 * Puts a disk that never answers in the place of a file or a folder: every call about what is there waits until `free` is
 * called. It is a FUSE connection that nobody serves.
 */
export async function stuckDisk(
  path: string,
  kind: "file" | "folder",
): Promise<{ readonly free: () => Promise<void> } | undefined> {
  const mode = kind === "file" ? "100000" : "40000";
  const script = `exec 3<>/dev/fuse
    mount -i -t fuse -o fd=3,rootmode=${mode},user_id=0,group_id=0 stuck "$1" || exit 1
    echo mounted; cat >/dev/null; umount -l "$1"`;
  const holder = spawn("sh", ["-c", script, "sh", path], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(holder, "exit");
  const isMounted = await Promise.race([once(holder.stdout, "data").then(() => true), ended.then(() => false)]);
  if (!isMounted) return undefined;
  return {
    // The connection ends with its holder, and with it all who wait.
    free: async () => {
      holder.stdin.end();
      await ended;
    },
  };
}
