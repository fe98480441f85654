/** Tables as text, as spreadsheets write and read them. */

export function writeCsv(rows) {
  const cell = (value) => (/[",;\t\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  // The mark at the start tells spreadsheets that it is UTF-8.
  return `\uFEFF${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** The rows of a table. The first line says what stands between cells: a comma, a semicolon or a tab. */
export function readCsv(text) {
  const source = text.replace(/^\uFEFF/, "");
  const separator = separatorOf(source);
  const rows = [];
  let row = [];
  let at = 0;
  while (at < source.length) {
    const cell = source[at] === '"' ? quotedCell(source, at) : plainCell(source, at, separator);
    row.push(cell.text);
    at = cell.end;
    if (source[at] === separator) {
      at += 1;
      if (at === source.length) row.push("");
      continue;
    }
    if (source[at] === "\r") at += 1;
    if (source[at] === "\n") at += 1;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows.filter((cells) => cells.length > 1 || cells[0] !== "");
}

function separatorOf(source) {
  const [line] = source.replace(/"[^"]*"/g, "").split(/\r?\n/);
  const count = (character) => line.split(character).length;
  return [",", ";", "\t"].sort((a, b) => count(b) - count(a))[0];
}

function plainCell(source, from, separator) {
  let end = from;
  while (end < source.length && source[end] !== separator && source[end] !== "\n" && source[end] !== "\r") end += 1;
  return { text: source.slice(from, end), end };
}

function quotedCell(source, from) {
  let text = "";
  let at = from + 1;
  while (at < source.length) {
    const next = source.indexOf('"', at);
    if (next === -1) break;
    text += source.slice(at, next);
    if (source[next + 1] !== '"') return { text, end: next + 1 };
    text += '"';
    at = next + 2;
  }
  throw new Error("A quotation mark is not closed.");
}

/** A spreadsheet would run a text that starts like this as a formula; a mark before it prevents that. */
export function guarded(text) {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

export function unguarded(text) {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}
