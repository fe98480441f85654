import { type Diagnostic, Excerpts, type Severity } from "@slipway/spec";
import { count } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import type { CheckedDocument, ValidateOptions } from "./checked-document.ts";
import { outlineLines } from "./explain.ts";
import { defaultLines } from "./show-defaults.ts";
import { shownFile } from "./shown-file.ts";

type Colors = Terminal["colors"];

/** Like a compiler: each problem with its position, source line, cause and fix, then a summary. */
export function formatForPeople(
  documents: readonly CheckedDocument[],
  options: ValidateOptions,
  colors: Colors,
): string {
  const blocks = documents.flatMap((document) => [
    ...problemBlocks(document, colors),
    ...(options.explain ? outlineLines(document, options, colors) : []),
    ...(options.showDefaults ? defaultLines(document, options, colors) : []),
  ]);
  return [...blocks, summary(documents, colors)].join("\n");
}

/** Each problem of a document, with an empty line after it. */
export function problemBlocks({ source, diagnostics }: CheckedDocument, colors: Colors): string[] {
  if (diagnostics.length === 0) return [];
  const excerpts = new Excerpts(new TextDecoder("utf-8", { ignoreBOM: true }).decode(source.bytes));
  return diagnostics.map((diagnostic) => problemBlock(source.file, diagnostic, excerpts, colors));
}

function problemBlock(file: string, diagnostic: Diagnostic, excerpts: Excerpts, colors: Colors): string {
  const { severity, code, line, column, suggestion } = diagnostic;
  const excerpt = excerpts.of(diagnostic);
  const gutter = String(excerpt.line).length;
  const bar = colors.dim("|");
  const paint = severityColor(severity, colors);
  const position = colors.bold(`${shownFile(file)}:${line}:${column}:`);
  return [
    `${position} ${paint(colors.bold(`${severityWord[severity]}:`))} ${diagnostic.message} ${colors.dim(`[${code}]`)}`,
    `  ${colors.dim(String(excerpt.line))} ${bar} ${excerpt.text}`,
    `  ${" ".repeat(gutter)} ${bar} ${paint(excerpt.marks)}`,
    ...(suggestion === undefined ? [] : [`  ${" ".repeat(gutter)} ${colors.dim("=")} ${colors.cyan(suggestion)}`]),
    "",
  ].join("\n");
}

const severityWord = { error: "error", warning: "warning", info: "note" } as const satisfies Record<Severity, string>;

function severityColor(severity: Severity, colors: Colors): (text: string) => string {
  switch (severity) {
    case "error":
      return colors.red;
    case "warning":
      return colors.yellow;
    case "info":
      return colors.blue;
  }
}

function summary(documents: readonly CheckedDocument[], colors: Colors): string {
  const diagnostics = documents.flatMap((document) => document.diagnostics);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.filter(({ severity }) => severity === "warning").length;
  const valid = documents.filter(({ isValid }) => isValid).length;
  const found = [errors > 0 && count(errors, "error"), warnings > 0 && count(warnings, "warning")]
    .filter(Boolean)
    .join(", ");
  const verdict =
    valid === documents.length
      ? colors.green(`✔ ${documents.length === 1 ? "The document is" : `All ${documents.length} documents are`} valid`)
      : colors.red(
          `✘ ${count(documents.length - valid, "document")} of ${documents.length} ${documents.length - valid === 1 ? "is" : "are"} not valid`,
        );
  return `${verdict}${found === "" ? "." : `: ${found}.`}`;
}
