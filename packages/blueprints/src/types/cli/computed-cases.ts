import { calculations, evaluateExpression } from "../../kit/expression/evaluate-expression.ts";
import { helpersIn } from "../../kit/expression/write-expression.ts";
import type { CommandCase, Step } from "./command-cases.ts";
import type { Command, Computation, Field, Program } from "./model.ts";
import { expressionsOf } from "./read-computation.ts";
import { sampleOf, storedSample } from "./samples.ts";
import { wordFor } from "./scope.ts";

/** The tests of a computation: what its expressions give for sample values, worked out here. */
export function computedCases(command: Command, program: Program): readonly CommandCase[] {
  const { name, computation } = command;
  // What depends on the day has no lasting result.
  if (expressionsOf(computation!).flatMap(helpersIn).includes("today")) return [];
  for (const choice of [1, 0]) {
    const values = samples(command, program, choice);
    if (values === undefined) return [];
    const found = workOut(command, program, values.row);
    if (found === undefined) continue;
    const words = [name, ...values.words, "--json"];
    const title = `${name} works out its result`;
    return [{ title, steps: [{ words, ends: "ok", json: found }, ...stdinSteps(command, values, found)] }];
  }
  return [];
}

interface Samples {
  readonly words: readonly string[];
  readonly row: Readonly<Record<string, unknown>>;
}

/** A value for each argument and for what else is needed; where there are choices, not always the same. */
function samples(command: Command, program: Program, choice: number): Samples | undefined {
  const row: Record<string, unknown> = {};
  const words: string[] = [];
  let turn = 0;
  for (const field of [...command.arguments, ...command.options, ...program.globalOptions]) {
    const isArgument = command.arguments.includes(field);
    if (!isArgument && field.required !== true) {
      if (field.default !== undefined) row[field.name] = field.default;
      continue;
    }
    const chosen: Field = field.values === undefined ? field : turned(field, choice * turn++);
    const text = sampleOf(chosen);
    if (text === undefined || field.default === "today" || field.default === "now") return undefined;
    words.push(isArgument ? text : `--${field.name}=${text}`);
    row[field.name] = field.multiple === true ? [storedSample(chosen)] : storedSample(chosen);
  }
  return { words, row };
}

function turned(field: Field, by: number): Field {
  const values = field.values!;
  return { ...field, values: [values[by % values.length]!] };
}

/** The rows that the command gives for these values; undefined if it refuses them. */
function workOut(command: Command, program: Program, row: Samples["row"]): unknown {
  const { results, forEach } = command.computation!;
  const values = {
    ...program.tables,
    ...Object.fromEntries(Object.entries(row).map(([name, value]) => [wordFor(name), value])),
  };
  const rows =
    forEach === undefined
      ? [values]
      : Object.keys(program.tables[forEach.table]!).map((name) => ({ ...values, [forEach.name]: name }));
  const shown = results.map(({ name }) => name).filter((name) => command.columns.includes(name));
  try {
    const where = forEach?.where;
    const left = rows.filter((each) => where === undefined || evaluateExpression(where, each) === true);
    const found = left.map((each) => {
      const worked = workOutRow(command.computation!, each);
      return Object.fromEntries(shown.map((name) => [name, worked[name]]));
    });
    return forEach === undefined ? found[0] : found;
  } catch {
    // These values are refused: others may not be.
    return undefined;
  }
}

function workOutRow({ results, decimals, errors }: Computation, values: Readonly<Record<string, unknown>>) {
  const row: Record<string, unknown> = { ...values };
  if (errors.some(({ when }) => evaluateExpression(when, row) === true)) throw new RangeError("refused");
  for (const { name, value } of results) row[name] = evaluateExpression(value, row);
  const { fixed, withoutNoise, finite } = calculations();
  const digits = decimals === undefined ? undefined : evaluateExpression(decimals, row);
  for (const { name } of results) {
    if (typeof row[name] !== "number") continue;
    const value = finite!(row[name]);
    row[name] = digits === undefined ? withoutNoise!(value) : Number(fixed!(value, digits));
  }
  return row;
}

/** The same from standard input. */
function stdinSteps(command: Command, { words }: Samples, found: unknown): readonly Step[] {
  const place = command.arguments.findIndex(({ stdin }) => stdin !== undefined);
  const field = command.arguments[place];
  if (field === undefined) return [];
  const given = [command.name, ...words.map((word, index) => (index === place ? "-" : word)), "--json"];
  const isMany = field.stdin === "lines" && command.computation!.forEach === undefined;
  const json = isMany ? [found] : found;
  const wrong: Step = { words: given, input: "no such value\n", ends: "usage", errors: "line 1 of the input" };
  const isNumber = ["integer", "number", "decimal"].includes(field.type);
  return [
    { words: given, input: `${words[place]!}\n`, ends: "ok", json },
    ...(field.stdin === "lines" && isNumber ? [wrong] : []),
  ];
}
