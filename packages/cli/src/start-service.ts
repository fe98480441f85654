import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ExitCode } from "./exit-code.ts";

/**
 * Runs the service's entry as a process of its own, in our process group, and answers how it ended. Signals to us are for
 * it; a terminal sends its own to both.
 */
export async function startService(args: readonly string[]): Promise<ExitCode> {
  const entry = fileURLToPath(import.meta.resolve("@slipway/server/main"));
  const { promise, resolve, reject } = Promise.withResolvers<ExitCode>();
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  const child = spawn(process.execPath, [entry, ...args], { stdio: "inherit" });
  child.on("error", reject);
  child.on("exit", (code, signal) => {
    if (signal === null) return resolve((code ?? 1) as ExitCode);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  return promise;
}
