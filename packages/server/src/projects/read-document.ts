import type { ProblemDetail } from "@slipway/contract";
import { type Diagnostic, diagnosticCodes, parseSpec, type SpecDocument } from "@slipway/spec";
import { Refusal } from "../refusal.ts";

/** The document that was sent, or a refusal with everything that is wrong with it. */
export function readDocument(bytes: Uint8Array, environment: string | undefined): SpecDocument {
  const { document, diagnostics } = parseSpec(bytes, { environment });
  if (document !== undefined) return document;
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  const unreadable = wrong.filter(({ code }) => diagnosticCodes[code].about === "syntax");
  // A text that is no YAML is malformed; what it would say otherwise does not matter then.
  const [code, told] =
    unreadable.length > 0 ? (["invalid_yaml", unreadable] as const) : (["invalid_document", wrong] as const);
  throw new Refusal(code, told.map(({ message }) => message).join(" "), { errors: diagnostics.map(toDetail) });
}

function toDetail({ code, message, suggestion, pointer, line, column }: Diagnostic): ProblemDetail {
  return { code, message: suggestion === undefined ? message : `${message} ${suggestion}`, pointer, line, column };
}
