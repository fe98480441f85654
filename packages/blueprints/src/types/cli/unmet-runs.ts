import type { CompleteSpec } from "@slipway/spec";
import type { Unmet } from "../../plugin.ts";
import type { Command, Program } from "./model.ts";
import { type Invocation, readInvocations } from "./read-invocations.ts";

/**
 * Lines that expect what the program does not do, as far as that is known beforehand; of contradicting lines,
 * those that lose.
 */
export function unmetRuns(document: CompleteSpec, program: Program): readonly Unmet[] {
  const runs = readInvocations(document).filter(({ file }) => file !== undefined);
  return runs.flatMap((run, index) => {
    const reason = otherEnd(run, program) ?? contradiction(run, runs.slice(0, index), program);
    return reason === undefined ? [] : [{ pointer: run.pointer, reason }];
  });
}

/** Why the run exits differently than the line says; undefined if it may exit so. */
function otherEnd({ words, check }: Invocation, program: Program): string | undefined {
  const { ok, failed, usage, bare } = program.exitCodes;
  const command = commandOf(words, program);
  const ends = (code: number) => (check.exitCode === code ? undefined : `It ends with ${code}.`);
  if (words.length === 0 && program.defaultCommand === undefined) return ends(bare);
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
function contradiction(run: Invocation, before: readonly Invocation[], program: Program): string | undefined {
  const isSame = (other: Invocation) =>
    other.program === run.program &&
    other.check.stdin === run.check.stdin &&
    JSON.stringify(other.words) === JSON.stringify(run.words);
  const at = before.findLastIndex(isSame);
  const earlier = before[at];
  if (earlier === undefined || earlier.check.exitCode === run.check.exitCode) return undefined;
  const dependsOnRecords = ["get", "update", "delete"].includes(commandOf(run.words, program)?.does ?? "");
  const hasChange = before.slice(at).some(({ words, check }) => {
    return check.exitCode === 0 && ["create", "update", "delete"].includes(commandOf(words, program)?.does ?? "");
  });
  if (dependsOnRecords && hasChange) return undefined;
  return `${earlier.pointer} says of the same command that it ends with ${earlier.check.exitCode}.`;
}

function commandOf(words: readonly string[], { commands, defaultCommand }: Program): Command | undefined {
  const named = words.find((word) => commands.some(({ name }) => name === word)) ?? defaultCommand;
  return commands.find(({ name }) => name === named);
}
