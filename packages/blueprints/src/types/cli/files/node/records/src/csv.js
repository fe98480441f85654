import { Failure } from "./errors.js";
import { parseValue } from "./values.js";

/** Reads records from CSV whose first line names the fields; each gets the number of its line as id. */
export function readCsv(text, fields) {
  const [header = [], ...rows] = splitCsv(text);
  const columns = header.map((name) => {
    const field = fields.find((each) => each.name === name.trim());
    if (field === undefined && name.trim() !== "id") throw new Failure(`the input has an unknown column '${name}'`);
    return field;
  });
  return rows.map((row, index) => {
    const record = Object.create(null);
    record.id = index + 1;
    for (const [place, field] of columns.entries()) {
      const cell = row[place] ?? "";
      if (field === undefined || cell === "") continue;
      try {
        record[field.name] = parseValue(field, cell);
      } catch (cause) {
        throw new Failure(`line ${index + 2} of the input: ${cause.message}`, { cause });
      }
    }
    const missing = fields.find(({ name, required }) => required && record[name] === undefined);
    if (missing !== undefined) throw new Failure(`line ${index + 2} of the input: ${missing.name} is missing`);
    return record;
  });
}

/** Rows of cells. Cells in double quotes may hold commas, line breaks and doubled quotes. */
export function splitCsv(text) {
  const rows = [];
  let row = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    if (end === "") break;
  }
  return rows;
}
