import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ExitCode } from "./exit-code.ts";

/**
 * Runs the service's entry as a process of its own, in our process group, and answers how it ended. Signals to us are for
 * it; a terminal sends its own to both. Over the channel nothing is said: its end tells the service that we are gone.
 */
export async function startService(args: readonly string[]): Promise<ExitCode> {
  const { promise, resolve, reject } = Promise.withResolvers<ExitCode>();
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  const isLaunched = process.env["SLIPWAY_LAUNCHED"] === "1";
  const child = spawn(process.execPath, [serviceEntry(), ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, SLIPWAY_LAUNCHED: "1" },
  });
  if (isLaunched) endWithLauncher(child);
  child.on("error", reject);
  child.on("exit", (code, signal) => {
    if (signal === null) return resolve((code ?? 1) as ExitCode);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  return promise;
}

/** The file that the service's processes start with. */
export function serviceEntry(): string {
  return fileURLToPath(import.meta.resolve("@slipway/server/main"));
}

/** An older Node that started us, and is gone, cannot pass on signals any more. */
function endWithLauncher(child: ChildProcess): void {
  if (process.send === undefined) return;
  if (!process.connected) child.kill("SIGTERM");
  process.once("disconnect", () => child.kill("SIGTERM"));
  process.channel?.unref();
}
