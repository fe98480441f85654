import { finite, fixed, withoutNoise } from "./calculate.js";
import { Failure, UsageError } from "./errors.js";
import { sheetWith, table } from "./output.js";
import { fill } from "./template.js";
import { formatValue, parseValue } from "./values.js";

/** Works a command out for all that it is given, and prints the results. */
export async function runComputation(command, { values, print, readInput }) {
  const inputs = await inputsOf(command, values, readInput);
  const rows = inputs.flatMap((input) => {
    if (command.forEach === undefined) return [workOut(command, input)];
    const { name, rows: names, where } = command.forEach;
    const all = names.map((row) => Object.assign(Object.create(null), input, { [name]: row }));
    return all.filter(where).map((row) => workOut(command, row));
  });
  const { columns, arguments: expected, options } = command;
  const sheet = { ...sheetWith(columns, rows, [...expected, ...options]), rows: rows.map((row) => cells(command, row)) };
  const isMany = command.forEach !== undefined || inputs.isMany === true;
  const data = rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
  const text = command.forEach === undefined ? rows.map((row) => sentence(command, row)).join("\n") : table(sheet);
  print(isMany ? data : data[0], text, sheet);
}

/** What the command works with: the values, once or for each line of standard input. */
async function inputsOf(command, values, readInput) {
  const field = command.arguments.find(({ stdin }) => stdin !== undefined);
  if (field === undefined || values[field.name] !== undefined) return [values];
  const text = await readInput();
  const withValue = (value) => Object.assign(Object.create(null), values, { [field.name]: value });
  if (field.stdin === "text") return [withValue(parseValue(field, text.replace(/\r?\n$/, "")))];
  const inputs = text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [withValue(parseValue(field, line))];
    } catch (cause) {
      throw new UsageError(`line ${index + 1} of the input: ${cause.message}`, { cause });
    }
  });
  return Object.assign(inputs, { isMany: true });
}

function workOut(command, input) {
  const row = Object.assign(Object.create(null), input);
  for (const { when, message, isUsage } of command.errors)
    if (when(row)) throw new (isUsage ? UsageError : Failure)(fill(message, row));
  const names = Object.keys(command.results);
  for (const name of names) row[name] = command.results[name](row);
  // Rounded only when all is known: a result may go on into the next.
  const decimals = command.decimals?.(row);
  for (const name of names) if (typeof row[name] === "number") row[name] = rounded(finite(row[name]), decimals);
  return row;
}

function rounded(value, decimals) {
  return decimals === undefined ? withoutNoise(value) : Number(fixed(value, decimals));
}

/** The values of a row as people write them. */
function shownIn(command, row) {
  const decimals = command.decimals?.(row);
  return (name) => {
    const isResult = Object.hasOwn(command.results, name);
    const field = [...command.arguments, ...command.options].find((each) => each.name === name);
    return formatValue(isResult && decimals !== undefined ? { decimals } : field, row[name]);
  };
}

function cells(command, row) {
  return command.columns.map(shownIn(command, row));
}

function sentence(command, row) {
  const shown = shownIn(command, row);
  return command.prints.replace(/\{([^{}]+)\}/g, (whole, name) => (row[name] === undefined ? whole : shown(name)));
}
