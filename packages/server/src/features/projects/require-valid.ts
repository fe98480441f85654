import type { ProblemDetail } from "@slipway/contract";
import { type Diagnostic, diagnosticCodes } from "@slipway/spec";
import { Refusal } from "../../platform/errors/index.ts";
import type { DocumentOutline, DocumentReading } from "./parse-document.ts";

/** Returns the outline of a valid document; refuses another with all of its diagnostics. */
export function requireValid({ outline, diagnostics }: DocumentReading): DocumentOutline {
  if (outline !== undefined) return outline;
  throw refuseDiagnostics(diagnostics);
}

/** A refusal with all diagnostics of a document. */
export function refuseDiagnostics(diagnostics: readonly Diagnostic[]): Refusal {
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  const unreadable = wrong.filter(({ code }) => diagnosticCodes[code].about === "syntax");
  // If the text is not valid YAML, other diagnostics do not matter.
  const [code, reported] =
    unreadable.length > 0 ? (["invalid_yaml", unreadable] as const) : (["invalid_document", wrong] as const);
  return new Refusal(code, reported.map(({ message }) => message).join(" "), { errors: diagnostics.map(toDetail) });
}

function toDetail({ code, message, suggestion, pointer, line, column }: Diagnostic): ProblemDetail {
  return { code, message: suggestion === undefined ? message : `${message} ${suggestion}`, pointer, line, column };
}
