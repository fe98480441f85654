import { access, constants, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { oneLine } from "../../../platform/one-line.ts";
import { spawnProgram } from "../../../platform/process/index.ts";
import type { Probe } from "../driver.ts";

const timeLimitMs = 10_000;
const maxOutput = 64 * 1024;

/** Asks a program for its version, to find out whether it is installed and starts. */
export async function probeProgram(
  { command, install }: { readonly command: string; readonly install: string },
  signal: AbortSignal,
  limitMs = timeLimitMs,
): Promise<Probe> {
  const asked = `'${command} --version'`;
  const end = await askVersion(command, AbortSignal.any([signal, AbortSignal.timeout(limitMs)]));
  if (signal.aborted) return unusable("The probe was stopped before it ended.");
  switch (end.is) {
    case "not_started":
      if (end.code === "ENOENT") return notThere(command, install);
      return unusable(`The program '${command}' cannot be started (${end.code}).`);
    case "too_slow":
      return unusable(`${asked} did not answer within ${limitMs / 1000} seconds.`);
    case "ended": {
      const lines = end.output.split("\n").map((line) => oneLine(line, 200));
      if (end.exitCode === 0) {
        const version = lines.find((line) => /\d/.test(line)) ?? lines.find((line) => line !== "");
        return { isUsable: true, version: version ?? "unknown" };
      }
      const last = lines.findLast((line) => line !== "") ?? "it printed nothing";
      const how = end.exitCode === null ? "was killed" : `ended with exit code ${end.exitCode}`;
      return unusable(`${asked} ${how}: ${last}`);
    }
  }
}

/** Whether a program is installed, without starting it. */
export async function findProgram({ command, install }: { command: string; install: string }): Promise<Probe> {
  const folders = isAbsolute(command) ? [""] : (process.env["PATH"] ?? "").split(delimiter);
  for (const folder of folders) {
    const path = join(folder, command);
    const isThere = await access(path, constants.X_OK).then(
      async () => (await stat(path)).isFile(),
      () => false,
    );
    if (isThere) return found;
  }
  return notThere(command, install);
}

const found: Probe = { isUsable: true, version: "" };

function notThere(command: string, install: string): Probe {
  return unusable(`The program '${command}' is not installed, or not on the service's PATH. ${install}`);
}

type End =
  | { readonly is: "not_started"; readonly code: string }
  | { readonly is: "too_slow" }
  | { readonly is: "ended"; readonly exitCode: number | null; readonly output: string };

function askVersion(command: string, signal: AbortSignal): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  const { PATH = "", HOME = tmpdir() } = process.env;
  // In its own process group, so that its children end with it; without the service's environment.
  const child = spawnProgram(command, ["--version"], {
    cwd: tmpdir(),
    env: { PATH, HOME, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const listen = (chunk: Buffer) => {
    if (output.length < maxOutput) output += chunk.toString("utf8").slice(0, maxOutput);
  };
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  const onAbort = () => {
    killGroup(child.pid);
    resolve({ is: "too_slow" });
  };
  child.on("error", (error: NodeJS.ErrnoException) => resolve({ is: "not_started", code: error.code ?? "unknown" }));
  child.on("exit", (exitCode) => {
    // A child may keep its output open, so we read only a moment longer.
    setTimeout(() => {
      killGroup(child.pid);
      resolve({ is: "ended", exitCode, output });
    }, 50);
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The whole group has ended.
  }
}

function unusable(reason: string): Probe {
  return { isUsable: false, reason };
}
