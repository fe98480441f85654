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

/** To the value, or to the nearest thing around it, where that would be longer than a pointer may be. */
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

/** The way as people write it: `services.api.ports[0]`. */
export function describePath(path: Path | undefined): string {
  if (path === undefined) return "the document";
  if (typeof path.key === "number") return `${path.parent === undefined ? "" : describePath(path.parent)}[${path.key}]`;
  return path.parent === undefined ? path.key : `${describePath(path.parent)}.${path.key}`;
}

/** What to do about it; as a function where it takes a search, which is made only if it is shown. */
export type Suggestion = string | (() => string | undefined) | undefined;

export interface Finding {
  readonly code: DiagnosticCode;
  /** Some messages name a line, which is known only when the text is. */
  readonly message: string | ((lineOf: (offset: number) => number) => string);
  readonly span: Span;
  readonly path?: Path | undefined;
  readonly suggestion?: Suggestion;
}

/** Collects the problems of one document; bounded, and in the order of the text. */
export class Findings {
  readonly #findings: Finding[] = [];
  /** Which value was complained of, by complaint and place: an alias leads to the same place by other ways. */
  readonly #pointers = new Map<string, string>();
  #left = 0;
  #errors = 0;

  add(finding: Finding): void {
    if (this.#isRepeated(finding)) return;
    if (this.takes(finding.code)) {
      if (this.#findings.length === limits.diagnostics) this.#dropLesser();
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

  /** Whether a problem would be shown. If not, it is only counted, and its place need not be looked for. */
  takes(code: DiagnosticCode): boolean {
    return (isError({ code }) ? this.#errors : this.#findings.length) < limits.diagnostics;
  }

  /** Makes room for an error: whoever sees no error may rely on there being none. */
  #dropLesser(): void {
    this.#findings.splice(
      this.#findings.findLastIndex((finding) => !isError(finding)),
      1,
    );
    this.#left += 1;
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
    message: tidy(typeof message === "string" ? message : message((offset) => lines.positionAt(offset).line)),
    pointer: pointerOf(path),
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    ...(advice !== undefined && { suggestion: tidy(advice) }),
  };
}

/** Messages quote what was written: bounded here, and with nothing in them that a terminal would act on. */
function tidy(message: string): string {
  const short = message.length <= limits.messageLength ? message : `${message.slice(0, limits.messageLength - 1)}…`;
  return short.replace(/[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, "\ufffd").toWellFormed();
}
