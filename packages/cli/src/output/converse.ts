import { createInterface } from "node:readline";

/** The lines that a person types at a prompt: arrows bring earlier ones back, Tab completes. Ctrl-C and Ctrl-D end it. */
export async function* converse(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  prompt: string,
  complete: (line: string) => string[],
): AsyncGenerator<string, void, void> {
  const lines = createInterface({ input, output, prompt, completer: (line: string) => [complete(line), line] });
  lines.on("SIGINT", () => lines.close());
  try {
    lines.prompt();
    for await (const line of lines) {
      yield line;
      lines.prompt();
    }
  } finally {
    lines.close();
  }
}
