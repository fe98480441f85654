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
  /** What to do about it. */
  readonly suggestion?: string;
}

/** A range of the text, as offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The path to a value, as a linked list: descending costs nothing until something is reported. */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

export function pathOf(keys: readonly (string | number)[]): Path | undefined {
  return keys.reduce<Path | undefined>((parent, key) => ({ parent, key }), undefined);
}

/** The JSON Pointer of a path, cut to an ancestor if it would be too long. */
function pointerOf(path: Path | undefined): string {
  const keys: string[] = [];
  for (let step = path; step !== undefined; step = step.parent) keys.push(String(step.key));
  let pointer = "";
  for (const key of keys.reverse()) {
    const longer = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (longer.length > limits.pointerLength) break;
    pointer = longer;
  }
  return pointer;
}

/** The path as people write it: `services.api.ports[0]`. */
export function describePath(path: Path | undefined): string {
  if (path === undefined) return "the document";
  if (typeof path.key === "number") return `${path.parent === undefined ? "" : describePath(path.parent)}[${path.key}]`;
  return path.parent === undefined ? path.key : `${describePath(path.parent)}.${path.key}`;
}

/** A suggestion; a function if it needs a search, which runs only if the diagnostic is reported. */
export type Suggestion = string | (() => string | undefined) | undefined;

export interface Finding {
  readonly code: DiagnosticCode;
  /** A function if the message names a line, which is computed only for reported diagnostics. */
  readonly message: string | ((lineOf: (offset: number) => number) => string);
  readonly span: Span;
  readonly path?: Path | undefined;
  readonly suggestion?: Suggestion;
}

/** Collects the problems of one document, up to a limit. */
export class Findings {
  readonly #findings: Finding[] = [];
  /** The pointer of each problem by code and span: through an alias, other paths lead to the same span. */
  readonly #pointers = new Map<string, string>();
  #left = 0;
  #errors = 0;

  add(finding: Finding): void {
    if (this.#isRepeated(finding)) return;
    if (this.takes(finding.code)) {
      if (this.#findings.length === limits.diagnostics) this.#dropLastWarning();
      this.#findings.push(finding);
    } else {
      this.#left += 1;
    }
    if (isError(finding)) this.#errors += 1;
  }

  #isRepeated({ code, span, path }: Finding): boolean {
    if (path === undefined || !this.takes(code)) return false;
    const key = `${code} ${span.start} ${span.end}`;
    const pointer = pointerOf(path);
    const first = this.#pointers.get(key) ?? pointer;
    this.#pointers.set(key, first);
    return first !== pointer;
  }

  /** Whether a problem would be reported. If not, it is only counted, and its position is not needed. */
  takes(code: DiagnosticCode): boolean {
    return (isError({ code }) ? this.#errors : this.#findings.length) < limits.diagnostics;
  }

  /** Makes room for an error: warnings must never hide one. */
  #dropLastWarning(): void {
    this.#findings.splice(
      this.#findings.findLastIndex((finding) => !isError(finding)),
      1,
    );
    this.#left += 1;
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** Adds the findings of another collection for which `keep` is true. */
  addAll(others: Findings, keep: (finding: Finding) => boolean): void {
    for (const finding of others.#findings) if (keep(finding)) this.add(finding);
  }

  toDiagnostics(text: string): Diagnostic[] {
    if (this.#findings.length === 0) return [];
    const lines = new LineMap(text);
    const diagnostics = this.#findings.map((finding) => toDiagnostic(finding, lines));
    diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
    if (this.#left > 0) {
      const message = `${this.#left} more ${this.#left === 1 ? "problem is" : "problems are"} not shown.`;
      const suggestion = "Fix the problems above first.";
      const span = { start: text.length, end: text.length };
      diagnostics.push(toDiagnostic({ code: "more_problems", message, span, suggestion }, lines));
    }
    return diagnostics;
  }
}

function isError({ code }: Pick<Finding, "code">): boolean {
  return diagnosticCodes[code].severity === "error";
}

function toDiagnostic({ code, message, span, path, suggestion }: Finding, lines: LineMap): Diagnostic {
  const start = lines.positionAt(span.start);
  const end = lines.positionAt(Math.max(span.start, span.end));
  const advice = typeof suggestion === "function" ? suggestion() : suggestion;
  return {
    severity: diagnosticCodes[code].severity,
    code,
    message: sanitize(typeof message === "string" ? message : message((offset) => lines.positionAt(offset).line)),
    pointer: pointerOf(path),
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    ...(advice !== undefined && { suggestion: sanitize(advice) }),
  };
}

/** Messages quote the document: limits their length and removes control characters. */
function sanitize(message: string): string {
  const short = message.length <= limits.messageLength ? message : `${message.slice(0, limits.messageLength - 1)}…`;
  return short.replace(/[\0-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u2069]/g, "\ufffd").toWellFormed();
}
