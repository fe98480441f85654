import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import type { CheckedDocument, ValidateOptions } from "./checked-document.ts";
import { problemBlocks } from "./human.ts";
import { readDocuments } from "./read-documents.ts";
import { checkDocument, formatDocuments } from "./validate-documents.ts";

type ValidDocument = Required<Pick<CheckedDocument, "document">> & { readonly bytes: Uint8Array<ArrayBuffer> };

/** The one document that a command is about. What is wrong with it was printed as `validate` does, and the command ends. */
export async function readOneDocument(
  terminal: Terminal,
  file: string,
  options: Pick<ValidateOptions, "environment" | "outcomeType" | "json">,
  verb: "plan" | "run",
): Promise<ValidDocument | { readonly code: ExitCode }> {
  const { sources, problems } = await readDocuments([file], terminal.input);
  for (const problem of problems) terminal.err(`slipway: ${problem}`);
  const [source, ...others] = sources;
  if (others.length > 0)
    terminal.err(`slipway: '${file}' is ${sources.length} documents; one is ${past[verb]} at a time`);
  if (source === undefined || others.length > 0) return { code: exitCode.usage };
  const checked = checkDocument(source, options);
  if (checked.document === undefined) {
    terminal.out(formatDocuments([checked], options, terminal));
    return { code: exitCode.failed };
  }
  for (const block of problemBlocks(checked, terminal.colors)) terminal.err(block);
  return { document: checked.document, bytes: new Uint8Array(source.bytes) };
}

const past = { plan: "planned", run: "run" } as const;
