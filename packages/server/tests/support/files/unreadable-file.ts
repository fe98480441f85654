import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { onTestFinished } from "vitest";

/** Makes a file that opens, and whose bytes the system then cannot read (`EIO`); false where that is not possible. */
export function makeUnreadableFile(path: string): boolean {
  writeFileSync(path, "");
  // No process has memory at address 0.
  if (spawnSync("mount", ["--bind", `/proc/${process.pid}/mem`, path]).status !== 0) return false;
  onTestFinished(() => void spawnSync("umount", ["-l", path]));
  const file = openSync(path, "r");
  try {
    readSync(file, Buffer.alloc(1), 0, 1, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EIO";
  } finally {
    closeSync(file);
  }
}
