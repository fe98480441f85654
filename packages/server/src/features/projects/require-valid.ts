import type { ProblemDetail } from "@slipway/contract";
import { type Diagnostic, diagnosticCodes } from "@slipway/spec";
import { Refusal } from "../../platform/errors/index.ts";
import type { DocumentOutline, DocumentReading } from "./parse-document.ts";

/** What the document says, or a refusal with everything that is wrong with it. */
export function requireValid({ outline, diagnostics }: DocumentReading): DocumentOutline {
  if (outline !== undefined) return outline;
  throw refuseDiagnostics(diagnostics);
}

/** Everything that is wrong with what somebody wrote, as a refusal. */
export function refuseDiagnostics(diagnostics: readonly Diagnostic[]): Refusal {
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  const unreadable = wrong.filter(({ code }) => diagnosticCodes[code].about === "syntax");
  // A text that is no YAML is malformed; what it would say otherwise does not matter then.
  const [code, told] =
    unreadable.length > 0 ? (["invalid_yaml", unreadable] as const) : (["invalid_document", wrong] as const);
  return new Refusal(code, told.map(({ message }) => message).join(" "), { errors: diagnostics.map(toDetail) });
}

function toDetail({ code, message, suggestion, pointer, line, column }: Diagnostic): ProblemDetail {
  return { code, message: suggestion === undefined ? message : `${message} ${suggestion}`, pointer, line, column };
}
