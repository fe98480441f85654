/** On one line, and with nothing that a terminal would act on: names and messages are the document's, or an agent's. */
export function printable(text: string, most = 200): string {
  const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return short.replace(/[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\ufffd").toWellFormed();
}

/** The same for texts that may have several lines; those after the first are indented. */
export function printableLines(text: string, indent = "  "): string {
  const lines = text.trimEnd().split(/\r?\n/);
  const shown = lines.length > 20 ? [...lines.slice(0, 20), "…"] : lines;
  return shown.map((line) => printable(line, 1000)).join(`\n${indent}`);
}
