import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import type { CheckedDocument, ValidateOptions } from "./checked-document.ts";
import { problemBlocks } from "./human.ts";
import type { DocumentSource } from "./read-documents.ts";
import { checkDocument, formatDocuments } from "./validate-documents.ts";

/** Checks the one document of a command and prints its problems as `validate` does; the exit code if it is not valid. */
export function checkOneDocument(
  terminal: Terminal,
  source: DocumentSource,
  options: Pick<ValidateOptions, "environment" | "outcomeType" | "json">,
): Required<Pick<CheckedDocument, "document">> | { readonly code: ExitCode } {
  const checked = checkDocument(source, options);
  if (checked.document === undefined) {
    terminal.out(formatDocuments([checked], options, terminal));
    return { code: exitCode.failed };
  }
  for (const block of problemBlocks(checked, terminal.colors)) terminal.err(block);
  return { document: checked.document };
}
