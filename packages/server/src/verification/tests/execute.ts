import { causeOf } from "../../platform/cause-line.ts";
import { count } from "../../platform/count.ts";
import type { OutputLog } from "../../platform/log/index.ts";
import {
  type CommandEnd,
  documentLimits,
  limitMessage,
  type Sandbox,
  whyUnreached,
} from "../../platform/sandbox/index.ts";
import type { Masker } from "../../platform/secrets/index.ts";
import type { ScriptToRun } from "../scripts/run-scripts.ts";
import type { RunnerName, TestRun } from "./test-case.ts";
import type { ProjectFiles } from "./test-files.ts";

/** What every step of a test run needs. */
export interface Workplace {
  readonly sandbox: Pick<Sandbox, "runCommand" | "temporary">;
  readonly toTest: ScriptToRun;
  readonly log: OutputLog;
  readonly files: ProjectFiles;
  readonly minutes: number;
  readonly endsAtMs: number;
  readonly masker: Masker;
  /** The project's folder, as programs may name it. */
  readonly roots: readonly string[];
  /** A new name that nobody can know before. */
  readonly token: () => string;
}

interface ToExecute {
  readonly command: string;
  /** From the project's folder on; left out: in the folder itself. */
  readonly startsIn?: string | undefined;
  /** It names programs of installed packages, as scripts of package.json do. */
  readonly isOfPackage?: true | undefined;
  /** A line for the log, before the output. */
  readonly note?: string | undefined;
  /** Called with each piece of output. */
  readonly onOutput?: (text: string) => void;
}

/** Runs a command of a test run within what is left of its time. */
export async function execute(
  place: Workplace,
  { command, startsIn = ".", isOfPackage, note, onOutput }: ToExecute,
  writable: readonly string[],
  runner?: RunnerName,
) {
  const { sandbox, toTest, log, masker, endsAtMs } = place;
  const { document, folder, signal, cache, secrets } = toTest;
  const beganAtMs = performance.now();
  const shown = `${startsIn === "." ? "" : `cd ${startsIn} && `}${shownCommand(command, runner)}`;
  const head = `$ ${shown}\n${note === undefined ? "" : `${note}\n`}`;
  log.write(head);
  const heard = (text: string) => {
    log.write(text);
    onOutput?.(text);
  };
  const production = document.performance.optimize_builds && { NODE_ENV: "production" };
  const toRun = {
    ...{ command: isOfPackage ? withPackagePrograms(command, startsIn) : command },
    ...{ folder, startsIn, masker, onOutput: heard },
    env: { CI: "true", ...production, ...cache?.env, ...withoutHooks(secrets) },
    writable: [...(cache === undefined ? [] : [cache.folder]), ...writable],
  };
  const limitMs = Math.max(1, endsAtMs - beganAtMs);
  const end = await sandbox.runCommand(toRun, { ...documentLimits(document), limitMs, signal });
  signal.throwIfAborted();
  const durationMs = Math.round(performance.now() - beganAtMs);
  const { exitCode, isOffline } = end;
  const run: TestRun = { command: masker.mask(shown), exitCode, isOffline, durationMs, ...(runner && { runner }) };
  return { end, run, log: `${masker.mask(head)}${end.output}\n` };
}

/** As npm starts a script: with the programs of the packages that are installed where it starts, or above. */
function withPackagePrograms(command: string, startsIn: string): string {
  const depth = startsIn === "." ? 0 : startsIn.split("/").length;
  const folders = Array.from({ length: depth + 1 }, (_, up) => `$PWD/${"../".repeat(up)}node_modules/.bin`);
  return `export PATH="${folders.join(":")}:$PATH"; ${command}`;
}

/** Without the programs of ours that it carries. */
function shownCommand(command: string, runner: RunnerName | undefined): string {
  if (runner === undefined) return command;
  return command
    .replace(/ --import 'data:[^']*'/, "")
    .replace(/ --test-reporter='data:(?:[^']|'\\'')*' --test-reporter-destination=\S+/, "")
    .replace(/ -I -c '(?:[^']|'\\'')*'/, " -m");
}

/** Variables by which a program is told to load or to be something else. */
function withoutHooks(secrets: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const hooks = /^(?:PATH|NODE_OPTIONS|NODE_PATH|LD_\w+|PYTHON\w*|PYTEST_\w+|GOFLAGS|RUSTC?_\w*WRAPPER|BASH_ENV|ENV)$/;
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !hooks.test(name)));
}

/** Why a command did not end well, and what to do about it. */
export function whyEnded(end: CommandEnd, minutes: number): string {
  if (end.outcome.is === "timeout") {
    const limit = count(minutes, "minute");
    return `scripts.test took longer than ${limit}. Raise timeouts.test_execution_minutes, or make it quicker.`;
  }
  const message = limitMessage("scripts.test", end.outcome);
  return message ?? `scripts.test ended with exit code ${end.exitCode}. ${saidBy(end)}`.trim();
}

/** What a command said of the reason, and whether it reached nobody for want of a network. */
export function saidBy(end: CommandEnd): string {
  const { output, told } = end;
  return `${causeOf({ output, stderr: told.stderr }, 500)} ${whyUnreached("scripts.test", end, output)}`.trim();
}
