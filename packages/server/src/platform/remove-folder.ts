import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Removes a folder whatever was made of it: closed folders, and paths longer than the system takes in one piece. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // These walk from folder to folder, where we can only name whole paths. Links are not followed.
    const env = { PATH: process.env["PATH"], LC_ALL: "C" };
    await run("chmod", ["-R", "u+rwX", "--", path], { env }).catch(() => undefined);
    await run("rm", ["-rf", "--", path], { env });
  }
}
