import type { Severity } from "@slipway/spec";
import { workflowCommand } from "../output/workflow-command.ts";
import type { CheckedDocument } from "./checked-document.ts";

const command = { error: "error", warning: "warning", info: "notice" } as const satisfies Record<Severity, string>;

/** Workflow commands that GitHub Actions turns into annotations. */
export function formatForGithub(documents: readonly CheckedDocument[]): string {
  return documents
    .flatMap(({ source, diagnostics }) =>
      diagnostics.map(({ severity, code, message, suggestion, line, column, endLine, endColumn }) => {
        const properties = { file: source.file, line, col: column, endLine, endColumn, title: code };
        const text = suggestion === undefined ? message : `${message}\n${suggestion}`;
        return workflowCommand(command[severity], properties, text);
      }),
    )
    .join("\n");
}
