import { eastAsianWidth } from "get-east-asian-width";
import type { Diagnostic } from "./diagnostic.ts";
import { LineMap } from "./line-map.ts";

/** A line of a document and the carets below it that mark a problem. Both are safe to print and fit a terminal. */
export interface Excerpt {
  readonly line: number;
  readonly text: string;
  readonly marks: string;
}

/** Makes excerpts for the diagnostics of one document. */
export class Excerpts {
  readonly #lines: LineMap;

  constructor(text: string) {
    this.#lines = new LineMap(text);
  }

  /** The line where the problem starts, cut around the problem if it is long. */
  of({ line, column, endLine, endColumn }: Diagnostic, width = 100): Excerpt {
    const whole = this.#lines.lineText(line);
    const markEnd = endLine === line ? endColumn : whole.length + 1;
    const from = Math.max(0, column - 1 - (whole.length > width ? Math.floor(width / 3) : column));
    const visible = whole.slice(from, from + width);
    const before = printable(visible.slice(0, column - 1 - from));
    const marked = printable(visible.slice(column - 1 - from, Math.max(markEnd, column + 1) - 1 - from));
    const head = from > 0 ? "…" : "";
    const tail = from + width < whole.length ? "…" : "";
    return {
      line,
      text: `${head}${printable(visible)}${tail}`,
      marks: " ".repeat(displayWidth(head + before)) + "^".repeat(Math.max(1, displayWidth(marked))),
    };
  }
}

/** Makes control characters visible, so that a document cannot control the terminal. */
function printable(text: string): string {
  return text
    .replaceAll("\t", " ")
    .replace(/[\0-\x1f]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)))
    .replace(/[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\u2421")
    .toWellFormed();
}

function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!/^\p{M}$/u.test(character)) width += eastAsianWidth(character.codePointAt(0)!);
  }
  return width;
}
