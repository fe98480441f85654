import type { CompleteSpec } from "@slipway/spec";
import type { Failure } from "../platform/errors/index.ts";
import type { OutputLog } from "../platform/log/index.ts";
import type { Sandbox, SharedFolder } from "../platform/sandbox/index.ts";
import { Masker } from "../platform/secrets/index.ts";
import { checkOverrides } from "./dependency-overrides.ts";
import { findScripts } from "./find-scripts.ts";
import { whyNotOwn } from "./own-file.ts";

interface ToVerify {
  readonly document: CompleteSpec;
  /** A folder with the project's files; it may be changed. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** How long a minute of the document's limits is; tests shorten it. */
  readonly minuteMs: number;
  /** The project's package cache, if it has one. */
  readonly cache: SharedFolder | undefined;
  /** The document's secrets by name: scripts find them in their environment. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Opens the log for a script's output. */
  readonly openLog: (source: ScriptName) => OutputLog;
}

type ScriptName = "build" | "test";

/** What the scripts wrote, and why the result is refused; without an error it is accepted. */
export interface ScriptsVerdict {
  readonly log: string;
  readonly error?: Failure;
}

/** Runs the project's build and test scripts, as far as it has them; stops at the first that fails. */
export async function runScripts(sandbox: Pick<Sandbox, "runCommand">, toVerify: ToVerify): Promise<ScriptsVerdict> {
  const { document, folder, signal, minuteMs } = toVerify;
  const { timeouts } = document;
  const scripts = await findScripts(document, folder, signal);
  const limits = { build: timeouts.implementation_minutes, test: timeouts.test_execution_minutes };
  const masker = new Masker(Object.values(toVerify.secrets));
  let log = "";
  for (const name of ["build", "test"] as const) {
    const command = scripts[name];
    if (command === undefined) continue;
    const reason = await whyNotOwn({ name, command }, folder, signal);
    if (reason !== undefined) {
      const message = masker.mask(reason);
      log += `$ ${masker.mask(command)}\n${message}\n`;
      return { log, error: { code: `${name}_failed`, message } };
    }
    const end = await runScript(sandbox, toVerify, name, command, limits[name] * minuteMs);
    log += `$ ${masker.mask(command)}\n${end.output}\n`;
    if (end.exitCode === 0) continue;
    signal.throwIfAborted();
    const how = end.isTimedOut ? `took longer than ${inMinutes(limits[name])}` : `ended with exit code ${end.exitCode}`;
    const last = tellingLine(end.output);
    const message = `scripts.${name} ${how}.${last === "" ? "" : ` Last output: ${last}`}`;
    return { log, error: { code: `${name}_failed`, message } };
  }
  const error = await checkOverrides(folder, document.dependency_overrides ?? {}, signal);
  return { log, ...(error && { error }) };
}

async function runScript(
  sandbox: Pick<Sandbox, "runCommand">,
  { document, folder, signal, cache, secrets, openLog }: ToVerify,
  name: ScriptName,
  command: string,
  limitMs: number,
) {
  const log = openLog(name);
  log.write(`$ ${command}\n`);
  const masker = new Masker(Object.values(secrets));
  const production = document.performance.optimize_builds && { NODE_ENV: "production" };
  const env = { CI: "true", ...production, ...cache?.env, ...secrets };
  const toRun = {
    ...{ command, folder, env, onOutput: log.write, masker },
    writable: cache === undefined ? [] : [cache.folder],
  };
  return sandbox.runCommand(toRun, { limitMs, signal }).finally(() => log.end());
}

/** The last line that names a failed test, as test runners mark them; else the last line. */
function tellingLine(output: string): string {
  const lines = output.trim().split("\n");
  const failing = lines.findLast((line) => /^\s*(✖|✗|×|not ok\b|FAIL(ED)?\b)\s*(?!failing tests:)\S/.test(line));
  return (failing ?? lines.at(-1) ?? "").trim().slice(0, 500);
}

function inMinutes(count: number): string {
  return count === 1 ? "1 minute" : `${count} minutes`;
}
