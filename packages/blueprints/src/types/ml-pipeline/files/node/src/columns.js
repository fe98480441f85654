import { BadData } from "./table.js";
import { kinds, toText } from "./values.js";

const maxLevels = 30;

/** The columns to learn from, each with its type, and why others are left out. */
export function inferColumns({ label, ignore, columns: told }, rows) {
  const columns = [];
  const leftOut = [];
  for (const name of new Set(rows.flatMap((row) => Object.keys(row)))) {
    if (name === label) continue;
    if (ignore.includes(name)) {
      leftOut.push(`${name}: the document says so`);
      continue;
    }
    const { type, missing = "fill" } = Object.hasOwn(told, name) ? told[name] : {};
    const values = rows.map((row) => valueOf(row, name)).filter((value) => value !== null);
    const kind = type ?? inferType(values);
    const isText = type === undefined && kind === "category" && values.length > 10;
    if (values.length === 0) leftOut.push(`${name}: it has no values`);
    else if (isText && new Set(values.map(toText)).size === values.length)
      leftOut.push(`${name}: no two rows have the same value`);
    else columns.push({ name, type: kind, missing });
  }
  return { columns, leftOut };
}

function inferType(values) {
  const fits = (kind) => values.every((value) => kinds[kind].read(value) !== undefined);
  return ["boolean", "number", "date"].find(fits) ?? "category";
}

/** The rows that can be learnt from: a column may ask to drop or refuse those without a value. */
export function completeRows(columns, rows) {
  return rows.filter((row, index) => {
    const empty = columns.filter(({ name }) => valueOf(row, name) === null);
    const refused = empty.find(({ missing }) => missing === "refuse");
    if (refused !== undefined)
      throw new BadData(`row ${index + 1} has no '${refused.name}', and the document refuses such rows`);
    return !empty.some(({ missing }) => missing === "drop");
  });
}

/**
 * The columns with what must be known to encode a row, learnt from these rows and no others. Of a category it also notes
 * every value that the whole data has: the rest is new.
 */
export function fitColumns(columns, rows, all = rows) {
  return columns.map((column) => {
    const present = rows.map((row) => readValue(column, row)).filter((value) => value !== undefined);
    const has_missing = present.length < rows.length;
    if (column.type !== "category") return { ...column, has_missing, fill: median(present) };
    const seen = new Set(all.map((row) => readValue(column, row)).filter((value) => value !== undefined));
    return { ...column, has_missing, levels: levelsOf(present), seen: [...seen].sort() };
  });
}

function levelsOf(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const byCount = [...counts].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
  return byCount.slice(0, maxLevels).map(([level]) => level);
}

/** One row as numbers: a category as one a level, and one more where a value may be missing. */
export function encode(columns, row) {
  return columns.flatMap((column) => {
    const value = readValue(column, row);
    if (value === undefined && !column.has_missing) throw new BadData(`'${column.name}' is missing`);
    const told = column.has_missing ? [Number(value === undefined)] : [];
    if (column.type === "category") return [...column.levels.map((level) => Number(level === value)), ...told];
    return [value ?? column.fill, ...told];
  });
}

/** Refuses a row with a category that the data never had: whatever the model said of it would be a guess. */
export function refuseUnseen(columns, row) {
  for (const column of columns.filter(({ type }) => type === "category")) {
    const value = readValue(column, row);
    if (value === undefined || column.seen.includes(value)) continue;
    const known = column.seen.length > maxNamed ? [...column.seen.slice(0, maxNamed), "…"] : column.seen;
    throw new BadData(`'${column.name}' is '${value}', which no row of the data has; it has ${known.join(", ")}`);
  }
}

const maxNamed = 10;

export function columnNames(columns) {
  return columns.flatMap(({ name, type, levels, has_missing }) => [
    ...(type === "category" ? levels.map((level) => `${name} = ${level}`) : [name]),
    ...(has_missing ? [`${name} is missing`] : []),
  ]);
}

/** The value of a row, null where it has none; a row may lack the column. */
export function valueOf(row, name) {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}

function readValue({ name, type }, row) {
  const value = valueOf(row, name);
  if (value === null) return undefined;
  const found = kinds[type].read(value);
  if (found === undefined) throw new BadData(`'${name}' must be ${kinds[type].expected}, not '${value}'`);
  return found;
}

function median(values) {
  if (values.length === 0) return 0;
  const ordered = values.toSorted((a, b) => a - b);
  const middle = Math.floor(ordered.length / 2);
  return ordered.length % 2 === 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}
