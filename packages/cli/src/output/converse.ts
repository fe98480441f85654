import { createInterface } from "node:readline";

/** The lines that a person types at a prompt: arrows bring earlier ones back, Tab completes. Ctrl-C and Ctrl-D end it. */
export async function* converse(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  prompt: string,
  complete: (line: string) => string[],
): AsyncGenerator<string, void, void> {
  const lines = createInterface({ input, output, prompt, completer: (line: string) => [complete(line), line] });
  let isClosed = false;
  lines.on("SIGINT", () => lines.close());
  lines.on("close", () => {
    isClosed = true;
  });
  try {
    lines.prompt();
    for await (const line of lines) {
      yield line;
      // The input may end while earlier lines still wait to be read.
      if (!isClosed) lines.prompt();
    }
  } finally {
    lines.close();
  }
}
