import { fields } from "./record.js";
import { formatValue } from "./values.js";

/** Records as aligned columns under their names; numbers stand to the right. */
export function table(columns, records) {
  const shown = columns.map((name) => fields.find((field) => field.name === name) ?? { name });
  const isNumber = (field) => ["integer", "number", "decimal"].includes(field.type);
  const rows = records.map((record) => shown.map((field) => formatValue(field, record[field.name])));
  return alignColumns([columns, ...rows], shown.map(isNumber));
}

/** Sums beside what they are the sum of. */
export function sumTable(name, sums) {
  const field = fields.find((each) => each.name === name);
  return alignColumns(sums.map(({ key, sum }) => [key, formatValue(field, sum)]), [false, true]);
}

function alignColumns(rows, isRight) {
  const widths = isRight.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => {
      const pad = (cell, column) => (isRight[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]));
      return row.map(pad).join("  ").trimEnd();
    })
    .join("\n");
}
