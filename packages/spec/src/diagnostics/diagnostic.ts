import { limits } from "../limits.ts";
import { type DiagnosticCode, diagnosticCodes, type Severity } from "./codes.ts";
import { LineMap } from "./line-map.ts";

/** One problem of a document: what, where, and what to do about it. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: DiagnosticCode;
  readonly message: string;
  /** JSON Pointer to the value it is about; empty for the document as a whole. */
  readonly pointer: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly endLine: number;
  /** The column after the last one. */
  readonly endColumn: number;
  /** What to do about it, in words. */
  readonly suggestion?: string;
}

/** A stretch of the text, as offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The way to a value from the root: a linked list, so that going down costs nothing until something is reported. */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

export function pathOf(keys: readonly (string | number)[]): Path | undefined {
  return keys.reduce<Path | undefined>((parent, key) => ({ parent, key }), undefined);
}

function pointerOf(path: Path | undefined): string {
  if (path === undefined) return "";
  const key = String(path.key).replaceAll("~", "~0").replaceAll("/", "~1");
  return `${pointerOf(path.parent)}/${key}`;
}

/** The way as people write it: `services.api.ports[0]`. */
export function describePath(path: Path | undefined): string {
  if (path === undefined) return "the document";
  if (typeof path.key === "number") return `${path.parent === undefined ? "" : describePath(path.parent)}[${path.key}]`;
  return path.parent === undefined ? path.key : `${describePath(path.parent)}.${path.key}`;
}

export interface Finding {
  readonly code: DiagnosticCode;
  /** Some messages name a line, which is known only when the text is. */
  readonly message: string | ((lineOf: (offset: number) => number) => string);
  readonly span: Span;
  readonly path?: Path | undefined;
  readonly suggestion?: string | undefined;
}

/** Collects the problems of one document; bounded, and in the order of the text. */
export class Findings {
  readonly #findings: Finding[] = [];
  #left = 0;
  #errors = 0;

  add(finding: Finding): void {
    if (diagnosticCodes[finding.code].severity === "error") this.#errors += 1;
    if (this.#findings.length < limits.diagnostics) this.#findings.push(finding);
    else this.#left += 1;
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** Takes over those of another collection that `keep` is true of. */
  addAll(others: Findings, keep: (finding: Finding) => boolean): void {
    for (const finding of others.#findings) if (keep(finding)) this.add(finding);
  }

  toDiagnostics(text: string): Diagnostic[] {
    if (this.#findings.length === 0) return [];
    const lines = new LineMap(text);
    const diagnostics = this.#findings.map((finding) => toDiagnostic(finding, lines));
    diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
    if (this.#left > 0) {
      const message = `${this.#left} more problems are not shown.`;
      const suggestion = "Mend the ones above first.";
      const span = { start: text.length, end: text.length };
      diagnostics.push(toDiagnostic({ code: "more_problems", message, span, suggestion }, lines));
    }
    return diagnostics;
  }
}

function toDiagnostic({ code, message, span, path, suggestion }: Finding, lines: LineMap): Diagnostic {
  const start = lines.positionAt(span.start);
  const end = lines.positionAt(Math.max(span.start, span.end));
  return {
    severity: diagnosticCodes[code].severity,
    code,
    message: tidy(typeof message === "string" ? message : message((offset) => lines.positionAt(offset).line)),
    pointer: pointerOf(path),
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    ...(suggestion !== undefined && { suggestion: tidy(suggestion) }),
  };
}

/** Messages quote what was written: bounded here, and with nothing in them that a terminal would act on. */
function tidy(message: string): string {
  const plain = message.replace(/[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, "\ufffd").toWellFormed();
  return plain.length <= limits.messageLength ? plain : `${plain.slice(0, limits.messageLength - 1)}…`;
}
