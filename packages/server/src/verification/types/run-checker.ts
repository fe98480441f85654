import { count } from "../../platform/count.ts";
import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal, removeProjectFile, writeProjectFile } from "../../platform/project-files/index.ts";
import {
  type CommandEnd,
  documentLimits,
  limitMessage,
  type Sandbox,
  timeMessage,
} from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { ScriptToRun } from "../scripts/run-scripts.ts";
import { maxPaddedBytes, readText } from "../tests/test-files.ts";
import type { TypesVerdict } from "./check-types.ts";

/** Where a checker of types runs. */
export interface Workplace {
  readonly toCheck: ScriptToRun;
  readonly masker: Masker;
  /** `shown` stands in the log, where the command carries a program of ours. */
  run(command: string, shown?: string): Promise<CommandEnd>;
  /** Writes a line of ours into the log. */
  note(line: string): void;
  log(): string;
  close(): void;
}

export function openWorkplace(sandbox: Pick<Sandbox, "runCommand">, toCheck: ScriptToRun): Workplace {
  const { document, folder, signal, cache, secrets, minuteMs } = toCheck;
  const output = toCheck.openLog("type_check");
  const masker = new Masker(Object.values(secrets));
  // Checking types is a part of the build, which has as long.
  const limitMs = document.timeouts.implementation_minutes * minuteMs;
  const writable = cache === undefined ? [] : [cache.folder];
  let log = "";
  return {
    ...{ toCheck, masker },
    run: async (command, shown = command) => {
      output.write(`$ ${shown}\n`);
      const toRun = {
        ...{ command, folder, masker, writable, onOutput: output.write },
        env: { CI: "true", ...cache?.env },
      };
      const end = await sandbox.runCommand(toRun, { ...documentLimits(document), limitMs, signal });
      signal.throwIfAborted();
      log += `$ ${shown}\n${end.output}\n`;
      return end;
    },
    note: (line) => {
      output.write(`${line}\n`);
      log += `${line}\n`;
    },
    log: () => log,
    close: () => output.end(),
  };
}

/** A file of ours in which types do not fit: a checker that does not say so checks nothing, or only what it likes. */
export interface Trap {
  readonly path: string;
  readonly text: string;
}

interface CheckerReport {
  /** Every error that the checker told of: `path`, and the line as it was printed. */
  readonly errors: readonly { readonly path: string; readonly line: string }[];
  readonly end: CommandEnd;
  /** Whether the checker printed more than anybody has read. */
  readonly isCut: boolean;
}

/** Runs a checker with a file of ours among the project's, and judges what it says. */
export async function judgeByChecker(
  { toCheck: { document, folder, signal }, note }: Workplace,
  name: string,
  trap: Trap,
  check: () => Promise<CheckerReport>,
): Promise<TypesVerdict> {
  note(`# Slipway's own file ${trap.path} must have an error, which shows that ${name} tells of errors.`);
  await writeProjectFile(folder, trap.path, trap.text, { signal });
  const { errors, end, isCut } = await check().finally(async () => {
    await removeProjectFile(folder, trap.path).catch((error: unknown) => {
      if (!(error instanceof FileRefusal)) throw error;
    });
  });
  const minutes = document.timeouts.implementation_minutes;
  const limit = end.isTimedOut
    ? timeMessage(name, count(minutes, "minute"), "timeouts.implementation_minutes")
    : limitMessage(name, end.outcome);
  if (limit !== undefined) return { verdict: "failed", reason: limit };
  const own = errors.filter(({ path }) => path !== trap.path);
  if (own.length > 0) {
    const shown = own.slice(0, maxShown).map(({ line }) => oneLine(line, 200));
    const more = own.length > maxShown ? ` And ${own.length - maxShown} more.` : "";
    return { verdict: "failed", reason: `${name} found ${count(own.length, "error")}. ${shown.join(" ")}${more}` };
  }
  // What stood before its end may have been an error.
  if (isCut) return { verdict: "failed", reason: `${name} printed so much that only the end of it is known.` };
  if (errors.length > 0 && end.exitCode !== 0) return { verdict: "passed", reason: `${name} found no error.` };
  const last = oneLine(end.output.trim().split("\n").at(-1) ?? "", 200);
  const reason = `${name} did not tell of an error in a file that was added as '${trap.path}': it leaves files out, or was replaced. Let its configuration include all sources.`;
  return { verdict: "failed", reason: last === "" ? reason : `${reason} Last output: ${last}` };
}

const maxShown = 5;

/** Where only the first ones were read, others would hide those that come after them. */
const maxSources = 20_000;

/** Why types count as wrong: a comment says of a whole file that nobody shall look, or nobody could look at all of them. */
export async function whySwitchedOff(
  { toCheck: { folder, signal } }: Workplace,
  paths: readonly string[],
  comment: RegExp,
): Promise<string | undefined> {
  if (paths.length > maxSources)
    return `The project has ${paths.length} sources, more than the ${maxSources} that are looked at one by one.`;
  for (const path of paths) {
    const text = await readText(folder, path, signal, maxPaddedBytes);
    if (text === undefined)
      return `${path} cannot be read, or is too large for anybody to say what it asks of tsc or mypy.`;
    const [found] = comment.exec(text) ?? [];
    if (found !== undefined) return `${path} is not checked: it says '${oneLine(found.trim(), 60)}'. Take that out.`;
  }
  return undefined;
}

/** A name that nobody can know before. */
export function token(): string {
  return `t${crypto.randomUUID().replaceAll("-", "").slice(0, 10)}`;
}
