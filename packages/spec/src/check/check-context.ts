import type { DiagnosticCode } from "../diagnostics/codes.ts";
import type { Findings, Path, Span } from "../diagnostics/diagnostic.ts";
import type { TemplateUse } from "../schema/shape.ts";

/** A string in which `{{…}}` is a template. */
export interface TemplateText {
  readonly text: string;
  readonly use: TemplateUse;
  readonly path: Path | undefined;
  readonly span: Span;
}

/** What a check writes to. */
export interface CheckContext {
  readonly findings: Findings;
  readonly templates: TemplateText[];
}

/** Adds a diagnostic for the value at a path. */
export function report(
  code: DiagnosticCode,
  message: string,
  span: Span,
  path: Path | undefined,
  { findings }: CheckContext,
  suggestion?: string,
): void {
  findings.add({ code, message, span: { start: span.start, end: span.end }, path, suggestion });
}
