import type { AcceptanceLine } from "@slipway/spec";
import { runsUnknownTool } from "../../kit/unknown-tool.ts";
import type { Unmet } from "../../plugin.ts";
import type { Command, Program } from "./model.ts";
import { type Invocation, readInvocation } from "./read-invocation.ts";

/** Why the program does not meet a line, as far as that is known beforehand. */
export function unmetLine(line: AcceptanceLine, lines: readonly AcceptanceLine[], program: Program): readonly Unmet[] {
  const { pointer, check } = line;
  switch (check.kind) {
    case "tests":
      return [];
    case "command": {
      const run = readInvocation(line);
      const reason =
        run === undefined
          ? runsUnknownTool(check.command)
            ? "Nothing was built for this command."
            : undefined
          : (noEntry(run, program) ?? otherEnd(run, program) ?? contradiction(run, before(line, lines), program));
      return reason === undefined ? [] : [{ pointer, reason }];
    }
    case "named":
    case "performance":
      return [{ pointer, reason: "Nobody here measures this." }];
    default:
      return [{ pointer, reason: "A command-line program answers no requests." }];
  }
}

function before(line: AcceptanceLine, lines: readonly AcceptanceLine[]): readonly Invocation[] {
  return lines.slice(0, lines.indexOf(line)).flatMap((other) => readInvocation(other) ?? []);
}

function noEntry({ file, program: called }: Invocation, { name, entries }: Program): string | undefined {
  if (file === undefined)
    return called === name
      ? `'${name}' is found only where the folder bin is on the PATH: run ./bin/${name}.`
      : `'${called}' is not the program that is built.`;
  if (entries.includes(file)) return undefined;
  return `The program starts as ${entries.join(", ")}: name ${file} under cli.entry.`;
}

/** Why the run exits differently than the line says; undefined if it may exit so. */
function otherEnd({ words, check }: Invocation, program: Program): string | undefined {
  const { ok, failed, usage, bare } = program.exitCodes;
  const command = commandOf(words, program);
  const ends = (code: number) => (check.exitCode === code ? undefined : `It ends with ${code}.`);
  if (words.length === 0 && bare !== undefined) return ends(bare);
  if (words.some((word) => word === "--help" || word === "-h") || words[0] === "help") return ends(ok);
  if (words[0] === "--version" || words[0] === "-V") {
    const missing = check.stdoutContains.find((text) => !program.version.includes(text));
    return ends(ok) ?? (missing === undefined ? undefined : `The version is ${program.version}.`);
  }
  if (command === undefined) return ends(usage);
  if (![ok, failed, usage].includes(check.exitCode))
    return `It ends with ${ok}, with ${failed} if it fails, and with ${usage} if the command line is wrong.`;
  return undefined;
}

/** The earlier line that gives the same command another result, with no command between that could explain it. */
function contradiction(run: Invocation, earlier: readonly Invocation[], program: Program): string | undefined {
  const isSame = (other: Invocation) =>
    other.program === run.program &&
    other.check.stdin === run.check.stdin &&
    JSON.stringify(other.words) === JSON.stringify(run.words);
  const at = earlier.findLastIndex(isSame);
  const same = earlier[at];
  if (same === undefined || same.check.exitCode === run.check.exitCode) return undefined;
  const dependsOnRecords = ["get", "update", "delete"].includes(commandOf(run.words, program)?.does ?? "");
  const hasChange = earlier.slice(at).some(({ words, check }) => {
    return (
      check.exitCode === 0 && ["create", "update", "delete", "import"].includes(commandOf(words, program)?.does ?? "")
    );
  });
  if (dependsOnRecords && hasChange) return undefined;
  return `${same.pointer} says of the same command that it ends with ${same.check.exitCode}.`;
}

function commandOf(words: readonly string[], { commands, defaultCommand }: Program): Command | undefined {
  const named = words.find((word) => commands.some(({ name }) => name === word)) ?? defaultCommand;
  return commands.find(({ name }) => name === named);
}
