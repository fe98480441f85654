import type { Severity } from "@slipway/spec";
import type { CheckedDocument } from "./checked-document.ts";

const command = { error: "error", warning: "warning", info: "notice" } as const satisfies Record<Severity, string>;

/** Workflow commands that GitHub Actions turns into annotations. */
export function formatForGithub(documents: readonly CheckedDocument[]): string {
  return documents
    .flatMap(({ source, diagnostics }) =>
      diagnostics.map(({ severity, code, message, suggestion, line, column, endLine, endColumn }) => {
        const properties = { file: source.file, line, col: column, endLine, endColumn, title: code };
        const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
        const text = suggestion === undefined ? message : `${message}\n${suggestion}`;
        return `::${command[severity]} ${list.join(",")}::${escapeData(text)}`;
      }),
    )
    .join("\n");
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
