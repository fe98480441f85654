import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ExitCode } from "./exit-code.ts";
import { onLauncherGone } from "./launcher.ts";

/**
 * Runs the service's program as a child in this process group and returns its exit code. Signals are passed on; a terminal
 * sends its own to both. The channel carries no messages: when it closes, the service knows that this process is gone.
 */
export async function startService(args: readonly string[]): Promise<ExitCode> {
  const { promise, resolve, reject } = Promise.withResolvers<ExitCode>();
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  const child = spawn(process.execPath, [serviceEntry(), ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, SLIPWAY_LAUNCHED: "1" },
  });
  onLauncherGone(() => child.kill("SIGTERM"));
  child.on("error", reject);
  child.on("exit", (code, signal) => {
    if (signal === null) return resolve((code ?? 1) as ExitCode);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  return promise;
}

/** The entry file of the service's program. */
export function serviceEntry(): string {
  return fileURLToPath(import.meta.resolve("@slipway/server/main"));
}
