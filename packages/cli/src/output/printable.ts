/** One line without control characters: names and messages come from documents and agents, which are not trusted. */
export function printable(text: string, maxLength = 200): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return short
    .replace(/[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\ufffd")
    .toWellFormed();
}

/** The same for a text of several lines; the lines after the first are indented. */
export function printableLines(text: string, indent = "  "): string {
  const lines = text.trimEnd().split(/\r?\n/);
  const short = lines.length > 20 ? [...lines.slice(0, 20), "…"] : lines;
  return short.map((line) => printable(line, 1000)).join(`\n${indent}`);
}
