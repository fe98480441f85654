/** The rows cannot be used; the message says which, and why. */
export class BadData extends Error {}

/**
 * The rows of a text. A value is a text, a number, true or false, or null where there is none. The kind is "csv" or
 * "json"; without one, what looks like JSON is JSON.
 */
export function parseTable(text, missingValues, kind) {
  const whole = text.replace(/^\ufeff/, "");
  const isJson = kind === "json" || (kind === undefined && /^\s*[{[]/.test(whole));
  const rows = isJson ? parseJson(whole) : parseCsv(whole);
  const missing = new Set(["", ...missingValues]);
  const cleaned = (value) => {
    if (typeof value !== "string") return value;
    return missing.has(value.trim()) ? null : value.trim();
  };
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cleaned(value)])));
}

/** A list of objects, one object, or one object a line. */
function parseJson(text) {
  const found = readJson(text) ?? text.split(/\r?\n/).flatMap((line, index) => readLine(line, index + 1));
  const rows = Array.isArray(found) ? found : [found];
  for (const [index, row] of rows.entries()) {
    if (typeof row !== "object" || row === null || Array.isArray(row))
      throw new BadData(`row ${index + 1} must be an object with a value for each column`);
    for (const [name, value] of Object.entries(row))
      if (typeof value === "object" && value !== null)
        throw new BadData(`row ${index + 1}: '${name}' must be a single value`);
  }
  return rows;
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readLine(line, number) {
  if (line.trim() === "") return [];
  try {
    return [JSON.parse(line)];
  } catch (error) {
    throw new BadData(`line ${number} is not JSON: ${error.message}`);
  }
}

function parseCsv(text) {
  const [names, ...lines] = readCells(text, delimiterOf(text)).filter((line) => line.length > 1 || line[0] !== "");
  if (names === undefined) throw new BadData("there is no line of column names");
  const trimmed = names.map((name) => name.trim());
  for (const [index, name] of trimmed.entries())
    if (name === "" || trimmed.indexOf(name) !== index)
      throw new BadData(`each column needs a name of its own, and '${name}' is none`);
  return lines.map((cells, index) => {
    if (cells.length !== trimmed.length)
      throw new BadData(`row ${index + 1} has ${cells.length} cells, and there are ${trimmed.length} columns`);
    return Object.fromEntries(trimmed.map((name, column) => [name, cells[column]]));
  });
}

/** The comma, semicolon or tab that separates the names. */
function delimiterOf(text) {
  const head = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)[0].replace(/"(?:[^"]|"")*"/g, "");
  const count = (delimiter) => head.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** Lines of cells; a cell in quotes may hold delimiters, line breaks and doubled quotes. */
function readCells(text, delimiter) {
  const lines = [];
  const plain = delimiter === "\t" ? '[^"\\t\\r\\n]*' : `[^"${delimiter}\\r\\n]*`;
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|(${plain}))(${delimiter}|\\r?\\n|\\r|$)`, "y");
  let line = [];
  while (cell.lastIndex < text.length || line.length > 0) {
    const found = cell.exec(text);
    if (found === null) throw new BadData(`the CSV cannot be read: a quote in line ${lines.length + 1} does not fit`);
    line.push(found[1] === undefined ? found[2] : found[1].replaceAll('""', '"'));
    if (found[3] === delimiter) continue;
    lines.push(line);
    line = [];
    if (found[3] === "") break;
  }
  return lines;
}

/** Rows as CSV; only values that need quotes have them. */
export function writeCsv(rows) {
  const quoted = (text) => (text === "" || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const names = Object.keys(rows[0]);
  const lines = [names, ...rows.map((row) => names.map((name) => (row[name] === null ? "" : String(row[name]))))];
  return `${lines.map((cells) => cells.map(quoted).join(",")).join("\n")}\n`;
}
