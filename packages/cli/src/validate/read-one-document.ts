import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import type { CheckedDocument, ValidateOptions } from "./checked-document.ts";
import { problemBlocks } from "./human.ts";
import { readDocuments } from "./read-documents.ts";
import { checkDocument, formatDocuments } from "./validate-documents.ts";

type ValidDocument = Required<Pick<CheckedDocument, "document">> & { readonly bytes: Uint8Array<ArrayBuffer> };

/** Reads the one document of a command; otherwise prints its problems as `validate` does and returns the exit code. */
export async function readOneDocument(
  terminal: Terminal,
  file: string,
  options: Pick<ValidateOptions, "environment" | "outcomeType" | "json">,
  command: "plan" | "run",
): Promise<ValidDocument | { readonly code: ExitCode }> {
  const { sources, problems } = await readDocuments([file], terminal.input);
  for (const problem of problems) terminal.err(`slipway: ${problem}`);
  const [source, ...others] = sources;
  if (others.length > 0)
    terminal.err(`slipway: '${file}' matches ${sources.length} documents; 'slipway ${command}' takes one`);
  if (source === undefined || others.length > 0) return { code: exitCode.usage };
  const checked = checkDocument(source, options);
  if (checked.document === undefined) {
    terminal.out(formatDocuments([checked], options, terminal));
    return { code: exitCode.failed };
  }
  for (const block of problemBlocks(checked, terminal.colors)) terminal.err(block);
  return { document: checked.document, bytes: new Uint8Array(source.bytes) };
}
