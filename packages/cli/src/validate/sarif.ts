import { type Diagnostic, diagnosticCodes, type Severity } from "@slipway/spec";
import type { Log, Result } from "sarif";
import { toJson } from "../output/to-json.ts";
import { version } from "../version.ts";
import type { CheckedDocument } from "./checked-document.ts";

const level = { error: "error", warning: "warning", info: "note" } as const satisfies Record<Severity, Result.level>;

/** SARIF 2.1.0, which code scanning services read. */
export function formatAsSarif(documents: readonly CheckedDocument[]): string {
  const rules = Object.entries(diagnosticCodes).map(([id, { severity, summary }]) => ({
    id,
    shortDescription: { text: summary },
    defaultConfiguration: { level: level[severity] },
  }));
  const log: Log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "slipway", version, rules } },
        columnKind: "utf16CodeUnits",
        results: documents.flatMap(({ source, diagnostics }) =>
          diagnostics.map((diagnostic) => toResult(source.file, diagnostic)),
        ),
      },
    ],
  };
  return toJson(log);
}

function toResult(file: string, diagnostic: Diagnostic): Result {
  const { severity, code, message, suggestion, pointer, line, column, endLine, endColumn } = diagnostic;
  return {
    ruleId: code,
    level: level[severity],
    message: { text: suggestion === undefined ? message : `${message} ${suggestion}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: line, startColumn: column, endLine, endColumn },
        },
        logicalLocations: [{ fullyQualifiedName: pointer }],
      },
    ],
  };
}

/** A path as a URI, relative where the path is; standard input has none. */
function uriOf(file: string): string {
  const path = file === "<stdin>" ? "stdin" : file.replaceAll("\\", "/");
  return path.split("/").map(encodeURIComponent).join("/");
}
