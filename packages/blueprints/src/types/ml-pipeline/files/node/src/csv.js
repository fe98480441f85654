/** Rows as CSV: a line of names, then a line a row. Only values that need quotes have them. */
export function writeCsv(settings, rows) {
  const names = columnsOf(settings).map(({ name }) => name);
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name])))];
  return `${lines.map((cells) => cells.map(quoted).join(",")).join("\n")}\n`;
}

export function readCsv(settings, text) {
  const columns = columnsOf(settings);
  const [, ...lines] = cellsOf(text);
  return lines.map((cells) =>
    Object.fromEntries(columns.map(({ name, type }, index) => [name, readValue(type, cells[index])])),
  );
}

function columnsOf({ features, label }) {
  return [...features, label];
}

function readValue(type, text) {
  if (type === "boolean") return text === "true";
  return type === "number" || type === "integer" ? Number(text) : text;
}

function quoted(text) {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of cells; a cell in quotes may hold commas, line breaks and doubled quotes. */
function cellsOf(text) {
  const lines = [];
  let line = [];
  for (const [, inQuotes, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (end === "" && line.length === 0 && !plain && inQuotes === undefined) break;
    line.push(inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'));
    if (end === ",") continue;
    lines.push(line);
    line = [];
  }
  return lines;
}
