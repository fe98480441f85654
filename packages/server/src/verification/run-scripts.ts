import type { CompleteSpec } from "@slipway/spec";
import type { RunError } from "../lifecycle/index.ts";
import type { Sandbox } from "../sandbox/index.ts";

interface ToVerify {
  readonly document: CompleteSpec;
  /** A folder with the project's files; it may be changed. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** How long a minute of the document's limits is. */
  readonly minuteMs: number;
}

/** What the scripts said, and why the project may not go on; nothing when it may. */
export interface ScriptsVerdict {
  readonly log: string;
  readonly error?: RunError;
}

/** Builds the project and runs its tests, as far as the document says how; the first that fails ends it. */
export async function runScripts(
  sandbox: Pick<Sandbox, "runCommand">,
  { document, folder, signal, minuteMs }: ToVerify,
): Promise<ScriptsVerdict> {
  const { timeouts, performance, scripts } = document;
  const env: Record<string, string> = { CI: "true" };
  if (performance.optimize_builds) env["NODE_ENV"] = "production";
  const limits = { build: timeouts.implementation_minutes, test: timeouts.test_execution_minutes };
  let log = "";
  for (const name of ["build", "test"] as const) {
    const command = scripts?.[name];
    if (command === undefined) continue;
    const end = await sandbox.runCommand({ command, folder, env }, { limitMs: limits[name] * minuteMs, signal });
    log += `$ ${command}\n${end.output}\n`;
    if (end.exitCode === 0) continue;
    signal.throwIfAborted();
    const how = end.isTimedOut ? `took longer than ${inMinutes(limits[name])}` : `ended with exit code ${end.exitCode}`;
    const last = lastLine(end.output);
    const message = `scripts.${name} ${how}.${last === "" ? "" : ` Last output: ${last}`}`;
    return { log, error: { code: `${name}_failed`, message } };
  }
  return { log };
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1)?.slice(0, 500) ?? "";
}

function inMinutes(count: number): string {
  return count === 1 ? "1 minute" : `${count} minutes`;
}
