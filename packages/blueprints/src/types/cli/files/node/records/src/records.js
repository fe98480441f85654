import { fields } from "./record.js";
import { formatValue } from "./values.js";

const idField = { name: "id", type: "integer" };

/** The fields of these names, `id` among them; whoever takes one as an option need not give it. */
export function fieldsNamed(...names) {
  return names.map((name) => fields.find((field) => field.name === name) ?? { ...idField, name });
}

/** Options, of which those for fields of the record may be left out, and are then not looked at. */
export function asFilters(chosen) {
  const isField = ({ name }) => fields.some((field) => field.name === name);
  return chosen.map((option) => (isField(option) ? { ...option, required: false, default: undefined } : option));
}

/** Only the values of fields: not the options of the program. */
export function fieldValues(values) {
  const own = Object.create(null);
  for (const { name } of fields) if (values[name] !== undefined) own[name] = values[name];
  return own;
}

export function matching(records, values) {
  const wanted = Object.entries(values);
  return records.filter((record) => wanted.every(([name, value]) => record[name] === value));
}

/** A number of a record for an expression: one that is missing compares to nothing. */
export function numberOf(value) {
  return value ?? Number.NaN;
}

/** A text or a date of a record for an expression. */
export function textOf(value) {
  return value ?? "";
}

/**
 * Sorted by a field, and by number where that is the same; a minus before the field turns the order round. Choices are
 * in the order in which the field has them.
 */
export function sorted(records, by, known = fields) {
  const name = by.replace(/^-/, "");
  const sign = by.startsWith("-") ? -1 : 1;
  const choices = known.find((field) => field.name === name)?.values;
  const place = (value) => (choices === undefined ? value : choices.indexOf(value));
  const compare = (a, b) => (a === b ? 0 : (a ?? "") < (b ?? "") ? -1 : 1);
  return [...records].sort((a, b) => sign * (compare(place(a[name]), place(b[name])) || compare(a.id, b.id)));
}

/** Adds a field up, for all records or for each value of another field. Sums are exact to the field's decimals. */
export function sumOf(records, name, by) {
  const field = fields.find((each) => each.name === name);
  const scale = 10 ** (field?.decimals ?? 6);
  const sums = new Map();
  for (const record of records) {
    const key = by === undefined ? "total" : formatValue(undefined, record[by]);
    sums.set(key, (sums.get(key) ?? 0) + Math.round((record[name] ?? 0) * scale));
  }
  if (by === undefined && sums.size === 0) sums.set("total", 0);
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sum]) => ({ key, sum: sum / scale }));
}
