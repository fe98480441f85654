import { readCsv, unguarded } from "./csv.js";
import { blank, problemsWith, readTexts } from "./records/fields.js";

/** Why a file was not taken: by row, the first of which is 1. */
export class BadFile extends Error {
  constructor(message, rows = []) {
    super(message);
    this.rows = rows;
  }
}

/**
 * Takes all records of a file, or none: those whose id is known replace the record, others are added.
 *
 * @param {{ all: Function, get: Function, put: Function }} draft the records as they will be
 * @returns {{ added: number, changed: number }}
 */
export function importRecords(entity, text, format, draft, { model, today }) {
  const rows = format === "csv" ? csvRows(entity, text) : jsonRows(entity, text);
  const counts = { added: 0, changed: 0 };
  const taken = rows.map(({ id, ...values }) => {
    const known = id === undefined ? undefined : draft.get(entity.name, id);
    counts[known === undefined ? "added" : "changed"] += 1;
    return draft.put(entity.name, { ...(known ?? blank(entity, today)), ...values, ...(id !== undefined && { id }) });
  });
  const around = { model, today, all: draft.all };
  const wrong = taken.flatMap((record, index) => {
    const fields = problemsWith(entity, record, around);
    return Object.keys(fields).length === 0 ? [] : [{ row: index + 1, fields }];
  });
  if (new Set(taken.map(({ id }) => id)).size < taken.length) throw new BadFile("Two rows have the same id.");
  if (wrong.length > 0) throw new BadFile(`${wrong.length} of ${taken.length} rows are not right; nothing was taken.`, wrong);
  return counts;
}

function csvRows(entity, text) {
  let table;
  try {
    table = readCsv(text);
  } catch (error) {
    throw new BadFile(error.message);
  }
  const [header = [], ...rows] = table;
  const names = header.map((name) => columnOf(entity, name.trim()));
  return rows.map((row) => {
    const cells = Object.fromEntries(names.map((name, index) => [name, unguarded(row[index] ?? "")]));
    const fields = entity.fields.filter(({ name }) => names.includes(name));
    return { ...readTexts(fields, cells), ...idOf(cells.id === "" || cells.id === undefined ? undefined : Number(cells.id)) };
  });
}

function jsonRows(entity, text) {
  let list;
  try {
    list = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new BadFile("The file is not JSON.");
  }
  const isRow = (row) => typeof row === "object" && row !== null && !Array.isArray(row);
  if (!Array.isArray(list) || !list.every(isRow)) throw new BadFile("The file must hold a list of records.");
  return list.map(({ id, ...row }) => {
    const entries = Object.entries(row).filter(([name]) => entity.fields.some((field) => field.name === columnOf(entity, name)));
    return { ...Object.fromEntries(entries), ...idOf(id) };
  });
}

/** A column is a field by its name or label; what is computed is passed over, and computed again. */
function columnOf(entity, name) {
  const isNamed = (one) => one.name === name || one.label.toLowerCase() === name.toLowerCase();
  const found = name === "id" ? name : [...entity.fields, ...entity.computed].find(isNamed)?.name;
  if (found === undefined) throw new BadFile(`There is no field '${name}'.`);
  return found;
}

function idOf(id) {
  if (id === undefined || id === null) return {};
  if (!Number.isSafeInteger(id) || id < 1) throw new BadFile("An id must be a whole number from 1.");
  return { id };
}
