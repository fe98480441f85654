import type { Terminal } from "./terminal.ts";

/** The lines that a person types at a prompt, with history and completion; or those that come from a pipe. */
export async function* linesOf(
  { converse, input }: Terminal,
  prompt: string,
  complete: (line: string) => string[],
): AsyncGenerator<string, void, void> {
  if (converse !== undefined) return yield* converse(prompt, complete);
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of input) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
