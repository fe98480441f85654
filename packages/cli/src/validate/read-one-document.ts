import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import { type DocumentSource, readDocuments } from "./read-documents.ts";

/** Reads the one document of a command; otherwise says why not and returns the exit code. */
export async function readOneDocument(
  terminal: Terminal,
  file: string,
  command: "plan" | "run",
): Promise<DocumentSource | { readonly code: ExitCode }> {
  const { sources, problems } = await readDocuments([file], terminal.input);
  for (const problem of problems) terminal.err(`slipway: ${problem}`);
  const [source, ...others] = sources;
  if (others.length > 0)
    terminal.err(`slipway: '${file}' matches ${sources.length} documents; 'slipway ${command}' takes one`);
  return source === undefined || others.length > 0 ? { code: exitCode.usage } : source;
}
