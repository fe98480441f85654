import { createInterface } from "node:readline/promises";

/** Asks a person for a line. Ctrl-C interrupts the program, as elsewhere; the end of the input is an empty answer. */
export async function ask(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  question: string,
  onInterrupt: () => void,
  signal?: AbortSignal,
): Promise<string> {
  const lines = createInterface({ input, output });
  const { promise, resolve } = Promise.withResolvers<string>();
  lines.on("SIGINT", onInterrupt).once("close", () => resolve(""));
  const answered = signal === undefined ? lines.question(question) : lines.question(question, { signal });
  answered.then(resolve, () => resolve(""));
  try {
    return await promise;
  } finally {
    lines.close();
  }
}
