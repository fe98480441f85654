import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { platform } from "node:process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Removes a folder, even with a million folders in it, with folders that are closed to their owner, or with paths longer
 * than the system accepts. By a program: Node asks for everything in a folder at once, which holds up the event loop and
 * all threads for seconds. The program walks from folder to folder by short paths and follows no link.
 */
export async function removeFolder(path: string): Promise<void> {
  if (platform === "win32") return rm(path, { recursive: true, force: true });
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  await run("rm", ["-rf", "--", path], { env }).catch(async () => {
    await run("chmod", ["-R", "u+rwX", "--", path], { env }).catch(() => undefined);
    await run("rm", ["-rf", "--", path], { env });
  });
}
