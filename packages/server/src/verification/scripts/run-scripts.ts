import type { CompleteSpec } from "@slipway/spec";
import { causeOf } from "../../platform/cause-line.ts";
import { count } from "../../platform/count.ts";
import type { Failure } from "../../platform/errors/index.ts";
import type { OutputLog } from "../../platform/log/index.ts";
import {
  type CommandEnd,
  documentLimits,
  limitMessage,
  type RunAccount,
  type Sandbox,
  type SharedFolder,
  whyUnreached,
} from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { whyNotOwn } from "./own-file.ts";

export interface ScriptToRun {
  readonly document: CompleteSpec;
  /** A folder with the project's files; it may be changed. */
  readonly folder: string;
  /** The part of the project that the script belongs to, from the folder on; left out: all of it. */
  readonly startsIn?: string;
  /** Whose files it changes, where others work in the folder at the same time. */
  readonly account?: RunAccount;
  readonly signal: AbortSignal;
  /** How long a minute of the document's limits is; tests shorten it. */
  readonly minuteMs: number;
  /** How long software is measured under load; left out: two seconds. */
  readonly loadMs?: number | undefined;
  /** The project's package cache, if it has one. */
  readonly cache: SharedFolder | undefined;
  /** The document's secrets by name: scripts find them in their environment. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Opens the log for a script's output. */
  readonly openLog: (source: string) => OutputLog;
}

type ScriptName = "build" | "test";

/** What a script wrote, and why the result is refused; without an error it is accepted. */
export interface ScriptsVerdict {
  readonly log: string;
  readonly error?: Failure;
}

/** Runs one of the project's scripts; its failure names it and what it said last. */
export async function runScript(
  sandbox: Pick<Sandbox, "runCommand">,
  toRun: ScriptToRun,
  { name, command }: { readonly name: ScriptName; readonly command: string },
): Promise<ScriptsVerdict> {
  const { document, folder, startsIn, signal, minuteMs } = toRun;
  const minutes = document.timeouts[timeSettings[name]];
  const masker = new Masker(Object.values(toRun.secrets));
  const reason = await whyNotOwn({ name, command, startsIn }, folder, signal);
  if (reason !== undefined) {
    const message = masker.mask(reason);
    return { log: `$ ${masker.mask(command)}\n${message}\n`, error: { code: `${name}_failed`, message } };
  }
  const end = await runInSandbox(sandbox, toRun, name, command, minutes * minuteMs);
  const log = `$ ${masker.mask(command)}\n${end.output}\n`;
  if (end.exitCode === 0) return { log };
  signal.throwIfAborted();
  const said = causeOf({ ...end, stderr: end.told.stderr }, 500, folder);
  const why = whyUnreached(`scripts.${name}`, end, end.output);
  const message = [whyEnded(name, end, minutes), said, why].filter((part) => part !== "").join(" ");
  return { log, error: { code: `${name}_failed`, message } };
}

async function runInSandbox(
  sandbox: Pick<Sandbox, "runCommand">,
  { document, folder, startsIn, account, signal, cache, secrets, openLog }: ScriptToRun,
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
    ...(startsIn !== undefined && { startsIn }),
    ...(account && { account }),
    writable: cache === undefined ? [] : [cache.folder],
  };
  return sandbox.runCommand(toRun, { ...documentLimits(document), limitMs, signal }).finally(() => log.end());
}

/** Which setting of `timeouts` limits a script. */
const timeSettings = { build: "implementation_minutes", test: "test_execution_minutes" } as const;

function whyEnded(name: ScriptName, { outcome, exitCode }: CommandEnd, minutes: number): string {
  const script = `scripts.${name}`;
  if (outcome.is === "timeout")
    return `${script} took longer than ${count(minutes, "minute")}. Raise timeouts.${timeSettings[name]}, or make it quicker.`;
  return limitMessage(script, outcome) ?? `${script} ended with exit code ${exitCode}.`;
}
