import type { CompleteSpec } from "@slipway/spec";
import type { Program } from "./model.ts";
import { readInvocations } from "./read-invocations.ts";

/** An acceptance line, as the program's own test runs it. */
export interface AcceptanceCase {
  readonly line: string;
  /** Commands that must exist: its own, and earlier ones that may have created its data. */
  readonly needs: readonly string[];
  readonly words: readonly string[];
  readonly input?: string | undefined;
  readonly exitCode: number;
  readonly output?: readonly string[];
  readonly errors?: readonly string[];
}

/** The lines that run the program, in order, without those that are not met. */
export function acceptanceCases(
  document: CompleteSpec,
  program: Program,
  unmet: ReadonlySet<string>,
): readonly AcceptanceCase[] {
  const names = new Set(program.commands.map(({ name }) => name));
  const before = new Set<string>();
  return readInvocations(document).flatMap(({ pointer, check, program: called, words }) => {
    if (unmet.has(pointer) || !called.replace(/\.(?:m?js|py)$/, "").endsWith(program.name)) return [];
    const word = words.find((each) => names.has(each)) ?? program.defaultCommand;
    if (word !== undefined && check.exitCode === 0) before.add(word);
    return [
      {
        line: check.command,
        needs: [...new Set([...before, ...(word === undefined ? [] : [word])])],
        words,
        input: check.stdin,
        exitCode: check.exitCode,
        ...(check.stdoutContains.length > 0 && { output: check.stdoutContains }),
        ...(check.stderrContains.length > 0 && { errors: check.stderrContains }),
      },
    ];
  });
}
