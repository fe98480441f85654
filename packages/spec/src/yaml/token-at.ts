import type { Span } from "../diagnostics/diagnostic.ts";

/** The span of the word at an offset: from the next non-blank up to a ':', a comment or the end of the line. */
export function tokenAt(text: string, offset: number): Span {
  let start = offset;
  while (text[start] === " " || text[start] === "\t") start += 1;
  const line = lineFrom(text, start);
  const mark = /:(?=\s|$)|(?<=\s)#/.exec(line)?.index ?? line.length;
  const end = line.slice(0, mark).trimEnd().length;
  return { start, end: start + Math.max(end, Math.min(1, line.length)) };
}

/** The rest of the line from an offset, up to a maximum length. */
export function lineFrom(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, Math.min(end === -1 ? text.length : end, start + maxLineLength));
}

const maxLineLength = 200;
