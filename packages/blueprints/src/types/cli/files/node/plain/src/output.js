import { formatValue } from "./values.js";

/** A result in a format. A sheet has `columns`, `rows` of texts, and which columns stand to the right. */
export function render(format, { data, text, sheet = sheetOf(data) }) {
  switch (format) {
    case "json":
      return JSON.stringify(data, undefined, 2);
    case "csv":
      return csv(sheet);
    case "table":
      return table(sheet);
    default:
      return text;
  }
}

/** Aligned columns under their names; numbers stand to the right. */
export function table({ columns, rows, isRight }) {
  return align([columns, ...rows], isRight);
}

/** Rows as aligned columns. */
export function align(rows, isRight = []) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => {
      const pad = (cell, column) => (isRight[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]));
      return row.map(pad).join("  ").trimEnd();
    })
    .join("\n");
}

/** Comma-separated values, after RFC 4180. */
export function csv({ columns, rows }) {
  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\n");
}

/** A sheet of these columns; fields say how their values are shown. */
export function sheetWith(columns, records, fields = []) {
  const known = columns.map((name) => fields.find((field) => field.name === name));
  const rows = records.map((record) => columns.map((name, place) => formatValue(known[place], record[name])));
  const isNumber = (name) => records.length > 0 && records.every((record) => typeof (record[name] ?? 0) === "number");
  return { columns, rows, isRight: columns.map(isNumber) };
}

function sheetOf(data) {
  const records = Array.isArray(data) ? data : [data];
  return sheetWith([...new Set(records.flatMap((record) => Object.keys(record)))], records);
}
