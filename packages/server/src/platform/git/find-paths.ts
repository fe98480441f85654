import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The paths below a folder that the program `find` finds by an expression that begins with `.`. */
export async function findPaths(tree: string, expression: readonly string[]): Promise<string[]> {
  const options = { maxBuffer: 64 * 2 ** 20, timeout: 60_000, killSignal: "SIGKILL" as const };
  const args = [...expression, "-print0"];
  const found = await run("find", args, { cwd: tree, ...options }).catch((error: { stdout?: string }) => error);
  return (found.stdout ?? "")
    .split("\0")
    .filter((path) => path !== "")
    .map((path) => path.slice(2));
}
