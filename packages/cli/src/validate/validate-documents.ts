import { type Diagnostic, parseSpec } from "@slipway/spec";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { unmetLines } from "../foreseen/describe.ts";
import type { Terminal } from "../output/terminal.ts";
import type { CheckedDocument, ValidateOptions } from "./checked-document.ts";
import { formatForGithub } from "./github.ts";
import { formatForPeople } from "./human.ts";
import { formatAsJson } from "./json.ts";
import { type DocumentSource, readDocuments } from "./read-documents.ts";
import { formatAsSarif } from "./sarif.ts";
import { shownFile } from "./shown-file.ts";

/** Checks all documents and prints the results. */
export async function validateDocuments(
  terminal: Terminal,
  patterns: readonly string[],
  options: ValidateOptions,
): Promise<ExitCode> {
  const { sources, problems } = await readDocuments(patterns, terminal.input);
  for (const problem of problems) terminal.err(`slipway: ${problem}`);
  const documents = sources.map((source) => checkDocument(source, options));
  if (documents.length > 0) terminal.out(formatDocuments(documents, options, terminal));
  const isBuilt = await isBuiltWhole(terminal, documents, options);
  if (problems.length > 0) return exitCode.usage;
  return isBuilt && documents.every(({ isValid }) => isValid) ? exitCode.ok : exitCode.failed;
}

/** With --strict: whether the built-in agent would use and build all that the valid documents say; says what not. */
async function isBuiltWhole(
  terminal: Terminal,
  documents: readonly CheckedDocument[],
  { strict, environment }: ValidateOptions,
): Promise<boolean> {
  if (!strict) return true;
  const { findUnmet } = await import("../plan/find-unmet.ts");
  let isWhole = true;
  for (const { source, document } of documents) {
    const { unmet = [] } = document === undefined ? {} : await findUnmet(terminal, source.bytes, environment);
    if (unmet.length === 0) continue;
    isWhole = false;
    terminal.err(`slipway: ${shownFile(source.file)}: the built-in agent does not use or cannot build:`);
    for (const line of unmetLines(unmet)) terminal.err(`  ${line}`);
  }
  return isWhole;
}

export function checkDocument(source: DocumentSource, options: ValidateOptions): CheckedDocument {
  const parsed = parseSpec(source.bytes, {
    outcomeTypes: options.outcomeType ?? [],
    environment: options.environment,
  });
  const fails = ({ severity }: Diagnostic) => severity === "error" || (options.strict && severity === "warning");
  return { ...parsed, source, isValid: !parsed.diagnostics.some(fails) };
}

/** The results in the requested format. */
export function formatDocuments(
  documents: readonly CheckedDocument[],
  options: ValidateOptions,
  { colors }: Terminal,
): string {
  switch (options.json ? "json" : (options.format ?? "human")) {
    case "human":
      return formatForPeople(documents, options, colors);
    case "json":
      return formatAsJson(documents, options);
    case "sarif":
      return formatAsSarif(documents);
    case "github":
      return formatForGithub(documents);
  }
}
