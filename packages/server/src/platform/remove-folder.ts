import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Removes a folder, even with folders that are closed to their owner or paths longer than the system accepts. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // Unlike Node, these programs walk from folder to folder by short paths. They do not follow links.
    const env = { PATH: process.env["PATH"], LC_ALL: "C" };
    await run("chmod", ["-R", "u+rwX", "--", path], { env }).catch(() => undefined);
    await run("rm", ["-rf", "--", path], { env });
  }
}
