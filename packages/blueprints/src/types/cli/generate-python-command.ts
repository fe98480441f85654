import type { Expression } from "../../kit/expression/check-expression.ts";
import { expressionInPython, helpersIn, snakeCase } from "../../kit/expression/write-expression.ts";
import { comment, py, withoutTexts } from "../../kit/quote.ts";
import { computationNames, filterNames } from "./expression-names.ts";
import { expressionsIn } from "./generate-node-command.ts";
import type { Command, Computation, Field, Program } from "./model.ts";

/** The module of one command in Python. */
export function pythonCommand(command: Command, program: Program): string {
  const { imports = [], before = [], lines } = bodies[command.does](command, program);
  const own = [`ARGUMENTS = ${fieldList(command.arguments, program)}`, `OPTIONS = ${optionList(command, program)}`];
  const source = withoutTexts([...own, ...before, ...lines].join("\n"));
  const used = recordFunctions.filter((name) => source.includes(`${name}(`));
  const helpers = [...new Set(expressionsIn(command).flatMap(helpersIn))].map(snakeCase).toSorted();
  const all = [
    ...imports,
    ...(helpers.length > 0 ? [`from app.calculate import ${helpers.join(", ")}`] : []),
    ...(used.length > 0 ? [`from app.records import ${used.join(", ")}`] : []),
    ...(source.includes("TABLES[") ? ["from app.tables import TABLES"] : []),
    ...(source.includes("fill(") ? ["from app.values import fill"] : []),
  ];
  return [
    `# ${comment(command.summary)}`,
    ...all.toSorted(),
    "",
    `NAME = ${py(command.name)}`,
    `ORDER = ${command.order}`,
    `SUMMARY = ${py(command.summary)}`,
    `EXAMPLE = ${py(command.example)}`,
    `FORMAT = ${py(command.format ?? "text")}`,
    ...own,
    ...before,
    "",
    "",
    "def run(values, resources):",
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
}

/** What a command may import from the module `records`. */
const recordFunctions = "as_filters field_values fields_named in_order matching number_of sum_of text_of".split(" ");

interface Body {
  readonly imports?: readonly string[];
  /** Definitions of the module, before what runs. */
  readonly before?: readonly string[];
  readonly lines: readonly string[];
}

const fields = "from app.record import FIELDS";

const bodies: Readonly<Record<Command["does"], (command: Command, program: Program) => Body>> = {
  create: ({ prints }) => ({
    imports: [fields],
    lines: [
      "created = resources.store.add(field_values(values))",
      `resources.print(created, fill(${py(prints)}, created, FIELDS))`,
    ],
  }),
  list: (command, program) => ({
    imports: [fields, "from app.output import sheet_with, table"],
    lines: [
      ...recordLines(command, program),
      `found = in_order(records, ${orderOf(command)})`,
      ...(command.options.some(({ name }) => name === "limit") ? ['found = found[: values.get("limit")]'] : []),
      `sheet = sheet_with(${py(command.columns)}, found, FIELDS)`,
      "resources.print(found, table(sheet), sheet)",
    ],
  }),
  get: ({ columns }) => ({
    imports: [fields, "from app.output import sheet_with, table"],
    lines: [
      'found = resources.find_record(values["id"])',
      `sheet = sheet_with(${py(columns)}, [found], FIELDS)`,
      "resources.print(found, table(sheet), sheet)",
    ],
  }),
  update: ({ prints, sets }) => ({
    imports: [fields],
    lines: [
      `changed = resources.store.change(values["id"], {**field_values(values), **${py(sets)}})`,
      `resources.print(changed, fill(${py(prints)}, changed, FIELDS))`,
    ],
  }),
  delete: ({ prints }) => ({
    imports: [fields],
    lines: [
      'removed = resources.store.remove(values["id"])',
      `resources.print(removed, fill(${py(prints)}, removed, FIELDS))`,
    ],
  }),
  import: ({ prints, arguments: [source] }) => ({
    lines: [
      `added = resources.store.add_all(resources.read_records_from(values[${py(source!.name)}]))`,
      `resources.print({"count": len(added)}, fill(${py(prints)}, {**values, "count": len(added)}))`,
    ],
  }),
  sum: (command, program) => ({
    imports: [fields, "from app.output import align, sheet_with"],
    lines: [
      ...recordLines(command, program),
      `sums = sum_of(records, ${py(command.sums)}${command.groupBy === undefined ? "" : `, values.get(${py(command.groupBy.name)})`})`,
      `field = next((each for each in FIELDS if each["name"] == ${py(command.sums)}), {})`,
      'sheet = sheet_with(["key", "sum"], sums, [{**field, "name": "sum"}])',
      "resources.print(sums, align(sheet.rows, sheet.is_right), sheet)",
    ],
  }),
  count: (command, program) => ({
    lines: [...recordLines(command, program), 'resources.print({"count": len(records)}, str(len(records)))'],
  }),
  rows: ({ table, columns }) => ({
    imports: ["from app.output import sheet_with, table"],
    lines: [
      `named = TABLES[${py(table)}].items()`,
      'rows = [{**row, "name": name} if isinstance(row, dict) else {"name": name, "value": row} for name, row in named]',
      `sheet = sheet_with(${py(columns)}, rows)`,
      "resources.print(rows, table(sheet), sheet)",
    ],
  }),
  compute: (command, program) => ({
    imports: ["from app.compute import Computation"],
    before: ["", ...computationLines(command.computation!, command, program)],
    lines: ["COMPUTATION.run(values, resources)"],
  }),
  completion: () => ({
    imports: ["from app.completion import completion_script"],
    lines: [
      'script = completion_script(values["shell"], resources.commands)',
      'resources.print({"shell": values["shell"], "script": script}, script)',
    ],
  }),
  print: ({ prints }) => ({
    lines: [`resources.print(values, fill(${py(prints)}, values))`],
  }),
};

/** The parts of a computation as functions of a row. */
function computationLines(computation: Computation, command: Command, program: Program): string[] {
  const names = computationNames(command, program, "python");
  const { results, decimals, forEach, errors } = computation;
  const from = (expression: Expression) => `lambda row: ${expressionInPython(expression, names)}`;
  return [
    "COMPUTATION = Computation(",
    "    fields=ARGUMENTS + OPTIONS,",
    `    columns=${py(command.columns)},`,
    `    prints=${py(command.prints)},`,
    ...(decimals === undefined ? [] : [`    decimals=${from(decimals)},`]),
    ...(forEach === undefined
      ? []
      : [
          `    for_each=(${py(forEach.name)}, list(TABLES[${py(forEach.table)}])),`,
          ...(forEach.where === undefined ? [] : [`    where=${from(forEach.where)},`]),
        ]),
    ...(errors.length === 0
      ? []
      : [
          "    errors=[",
          ...errors.map(({ when, message, isUsage }) => `        (${from(when)}, ${py(message)}, ${py(isUsage)}),`),
          "    ],",
        ]),
    "    results={",
    ...results.map(({ name, value }) => `        ${py(name)}: ${from(value)},`),
    "    },",
    ")",
  ];
}

/** The records that a command looks at. */
function recordLines(command: Command, program: Program): string[] {
  const conditions = command.filters.map((filter) => {
    const when = expressionInPython(filter.when, filterNames(filter, command, program, "python"));
    if (filter.option === undefined) return `(${when})`;
    const isSwitch = command.options.find(({ name }) => name === filter.option)!.type === "boolean";
    return `(values.get(${py(filter.option)}) is ${isSwitch ? "not True" : "None"} or (${when}))`;
  });
  const all = "records = matching(resources.read_records(), field_values(values))";
  if (conditions.length === 0) return [all];
  return [all, `records = [record for record in records if ${conditions.join(" and ")}]`];
}

function orderOf({ sort, sortBy }: Command): string {
  return sortBy === undefined ? py(sort) : `values.get(${py(sortBy.name)}, ${py(sort)})`;
}

function optionList(command: Command, program: Program): string {
  const isFilter = ["list", "sum", "count", "update"].includes(command.does);
  const all = fieldList(command.options, program);
  const options = isFilter && command.options.length > 0 ? `as_filters(${all})` : all;
  const more = [command.groupBy, command.sortBy].filter((field) => field !== undefined);
  return more.length === 0 ? options : `${options} + ${py(more)}`;
}

function fieldList(list: readonly Field[], { record }: Program): string {
  const isPlain = (field: Field) =>
    py(field) === py({ name: "id", type: "integer" }) ||
    (record?.fields ?? []).some((known) => py(known) === py(field));
  if (list.length > 0 && list.every(isPlain)) return `fields_named(${list.map(({ name }) => py(name)).join(", ")})`;
  const line = py(list);
  return line.length <= 100 ? line : `[\n${list.map((field) => `    ${py(field)},\n`).join("")}]`;
}
