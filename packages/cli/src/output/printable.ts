/** What a terminal obeys instead of showing it, and what hides or turns other characters. */
export const unseen = /[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** One line without control characters: names and messages come from documents and agents, which are not trusted. */
export function printable(text: string, maxLength = 200): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return short.replace(unseen, "\ufffd").toWellFormed();
}

/** The same for a text of several lines; the lines after the first are indented. */
export function printableLines(text: string, indent = "  "): string {
  const lines = text.trimEnd().split(/\r?\n/);
  const short = lines.length > 20 ? [...lines.slice(0, 20), "…"] : lines;
  return short.map((line) => printable(line, 1000)).join(`\n${indent}`);
}

/** A text as a terminal may get it: nothing of it is obeyed but line breaks, tabs and colours, wherever it comes from. */
export function onTerminal(text: string): string {
  return text.replace(
    /\r?\n|\t|\x1b\[[\d;]*m|[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (found) => (/^(?:\r?\n|\t|\x1b\[[\d;]*m)$/.test(found) ? found : "\ufffd"),
  );
}

/**
 * What terminals take for an order: with an end of its own (titles, links, the clipboard), with numbers (colours, the cursor),
 * and others. Node's own expression takes the square of the time where many have no end.
 */
const orders =
  /(?:\x1b\]|\x9d)[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f]*(?:\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g;

/** A text without its colours and other orders to terminals, in time that grows with its length alone. */
export function withoutOrders(text: string): string {
  return /[\x1b\x90-\x9f]/.test(text) ? text.replaceAll(orders, "") : text;
}
