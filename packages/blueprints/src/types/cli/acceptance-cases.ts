import type { CompleteSpec } from "@slipway/spec";
import type { Program } from "./model.ts";
import { readInvocations } from "./read-invocations.ts";

/** A line of acceptance as a test of the program runs it. */
export interface AcceptanceCase {
  readonly line: string;
  /** The commands that must be there: its own, and those before it that may have left what it finds. */
  readonly needs: readonly string[];
  readonly words: readonly string[];
  readonly input?: string | undefined;
  readonly exitCode: number;
  readonly output?: readonly string[];
  readonly errors?: readonly string[];
}

/** The lines that run the program, in their order; without those that it cannot do as wished. */
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
