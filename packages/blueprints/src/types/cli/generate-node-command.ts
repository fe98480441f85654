import type { Expression } from "../../kit/expression/check-expression.ts";
import { expressionInNode, helpersIn } from "../../kit/expression/write-expression.ts";
import { literal } from "../../kit/literal.ts";
import { comment, js, withoutTexts } from "../../kit/quote.ts";
import { computationNames, filterNames } from "./expression-names.ts";
import type { Command, Computation, Field, Program } from "./model.ts";
import { expressionsOf } from "./read-computation.ts";

/** The module of one command. */
export function commandModule(command: Command, program: Program): string {
  const body = bodies[command.does](command, program);
  const own = withoutTexts(
    `${fieldList(command.arguments, program)}${optionList(command, program)}${body.lines.join()}`,
  );
  const fromRecords = recordFunctions.filter((name) => own.includes(`${name}(`));
  const helpers = [...new Set(expressionsIn(command).flatMap(helpersIn))].toSorted();
  const imports = [
    ...(helpers.length > 0 ? [`import { ${helpers.join(", ")} } from "../calculate.js";`] : []),
    ...(body.imports ?? []),
    ...(fromRecords.length > 0 ? [`import { ${fromRecords.join(", ")} } from "../records.js";`] : []),
    ...(own.includes("tables.") ? ['import { tables } from "../tables.js";'] : []),
    ...(own.includes("fill(") ? ['import { fill } from "../template.js";'] : []),
  ];
  return [
    ...imports.toSorted((a, b) => (moduleOf(a) < moduleOf(b) ? -1 : 1)),
    ...(imports.length > 0 ? [""] : []),
    `/** ${comment(command.summary)} */`,
    "export default {",
    `  name: ${js(command.name)},`,
    `  order: ${command.order},`,
    `  summary: ${js(command.summary)},`,
    ...(command.example === undefined ? [] : [`  example: ${js(command.example)},`]),
    ...(command.format === undefined ? [] : [`  format: ${js(command.format)},`]),
    `  arguments: ${fieldList(command.arguments, program)},`,
    `  options: ${optionList(command, program)},`,
    ...body.lines.map((line) => `  ${line}`),
    "};",
  ].join("\n");
}

/** What a command may import from the module `records`. */
const recordFunctions = "asFilters fieldValues fieldsNamed matching numberOf sorted sumOf textOf".split(" ");

function moduleOf(line: string): string {
  return /from "(.*)"/.exec(line)![1]!;
}

/** All expressions of a command. */
export function expressionsIn({ computation, filters }: Command): readonly Expression[] {
  return [...(computation === undefined ? [] : expressionsOf(computation)), ...filters.map(({ when }) => when)];
}

interface Body {
  readonly imports?: readonly string[];
  readonly lines: readonly string[];
}

const fields = 'import { fields } from "../record.js";';

const bodies: Readonly<Record<Command["does"], (command: Command, program: Program) => Body>> = {
  create: ({ prints }) => ({
    imports: [fields],
    lines: [
      "async run({ values, store, print }) {",
      "  const created = await store.add(fieldValues(values));",
      `  print(created, fill(${js(prints)}, created, fields));`,
      "},",
    ],
  }),
  list: (command, program) => ({
    imports: [fields, 'import { sheetWith, table } from "../output.js";'],
    lines: [
      "async run({ values, readRecords, print }) {",
      ...recordLines(command, program),
      `  const found = sorted(records, ${orderOf(command)})${limited(command.options)};`,
      `  const sheet = sheetWith(${literal(command.columns)}, found, fields);`,
      "  print(found, table(sheet), sheet);",
      "},",
    ],
  }),
  get: ({ columns }) => ({
    imports: [fields, 'import { sheetWith, table } from "../output.js";'],
    lines: [
      "async run({ values, findRecord, print }) {",
      "  const found = await findRecord(values.id);",
      `  const sheet = sheetWith(${literal(columns)}, [found], fields);`,
      "  print(found, table(sheet), sheet);",
      "},",
    ],
  }),
  update: ({ prints, sets }) => ({
    imports: [fields],
    lines: [
      "async run({ values, store, print }) {",
      `  const changes = Object.assign(fieldValues(values), ${literal(sets)});`,
      "  const changed = await store.change(values.id, changes);",
      `  print(changed, fill(${js(prints)}, changed, fields));`,
      "},",
    ],
  }),
  delete: ({ prints }) => ({
    imports: [fields],
    lines: [
      "async run({ values, store, print }) {",
      "  const removed = await store.remove(values.id);",
      `  print(removed, fill(${js(prints)}, removed, fields));`,
      "},",
    ],
  }),
  import: ({ prints, arguments: [source] }) => ({
    lines: [
      "async run({ values, store, readRecordsFrom, print }) {",
      `  const added = await store.addAll(await readRecordsFrom(values[${js(source!.name)}]));`,
      `  print({ count: added.length }, fill(${js(prints)}, { ...values, count: added.length }));`,
      "},",
    ],
  }),
  sum: (command, program) => ({
    imports: [fields, 'import { align, sheetWith } from "../output.js";'],
    lines: [
      "async run({ values, readRecords, print }) {",
      ...recordLines(command, program),
      `  const sums = sumOf(records, ${js(command.sums)}${command.groupBy === undefined ? "" : `, values[${js(command.groupBy.name)}]`});`,
      `  const field = fields.find(({ name }) => name === ${js(command.sums)});`,
      '  const sheet = sheetWith(["key", "sum"], sums, [{ ...field, name: "sum" }]);',
      "  print(sums, align(sheet.rows, sheet.isRight), sheet);",
      "},",
    ],
  }),
  count: (command, program) => ({
    lines: [
      "async run({ values, readRecords, print }) {",
      ...recordLines(command, program),
      "  print({ count: records.length }, String(records.length));",
      "},",
    ],
  }),
  rows: ({ table, columns }) => ({
    imports: ['import { sheetWith, table } from "../output.js";'],
    lines: [
      "run({ print }) {",
      `  const rows = Object.entries(tables${memberOf(table!)}).map(([name, row]) =>`,
      '    typeof row === "object" ? { ...row, name } : { name, value: row },',
      "  );",
      `  const sheet = sheetWith(${literal(columns)}, rows);`,
      "  print(rows, table(sheet), sheet);",
      "},",
    ],
  }),
  compute: (command, program) => ({
    imports: ['import { runComputation } from "../compute.js";'],
    lines: [
      `columns: ${literal(command.columns, "  ")},`,
      `prints: ${js(command.prints)},`,
      ...computationLines(command.computation!, command, program),
      "run(resources) {",
      "  return runComputation(this, resources);",
      "},",
    ],
  }),
  completion: () => ({
    imports: ['import { completionScript } from "../completion.js";'],
    lines: [
      "run({ values, commands, print }) {",
      "  const script = completionScript(values.shell, commands);",
      "  print({ shell: values.shell, script }, script.trimEnd());",
      "},",
    ],
  }),
  print: ({ prints }) => ({
    lines: ["run({ values, print }) {", `  print({ ...values }, fill(${js(prints)}, values));`, "},"],
  }),
};

/** The parts of a computation as functions of a row. */
function computationLines(computation: Computation, command: Command, program: Program): string[] {
  const names = computationNames(command, program, "node");
  const { results, decimals, forEach, errors } = computation;
  const from = (expression: Expression) => `(row) => ${expressionInNode(expression, names)}`;
  const constant = (expression: Expression) =>
    expression.is === "value" ? `() => ${expressionInNode(expression, names)}` : from(expression);
  return [
    ...(decimals === undefined ? [] : [`decimals: ${constant(decimals)},`]),
    ...(forEach === undefined
      ? []
      : [
          "forEach: {",
          `  name: ${js(forEach.name)},`,
          `  rows: Object.keys(tables${memberOf(forEach.table)}),`,
          `  where: ${forEach.where === undefined ? "() => true" : from(forEach.where)},`,
          "},",
        ]),
    ...(errors.length === 0
      ? ["errors: [],"]
      : [
          "errors: [",
          ...errors.map(
            ({ when, message, isUsage }) =>
              `  { when: ${from(when)}, message: ${js(message)}, isUsage: ${js(isUsage)} },`,
          ),
          "],",
        ]),
    "results: {",
    ...results.map(({ name, value }) => `  ${name}: ${constant(value)},`),
    "},",
  ];
}

/** The records that a command looks at. */
function recordLines(command: Command, program: Program): string[] {
  const { filters } = command;
  const conditions = filters.map((filter) => {
    const when = expressionInNode(filter.when, filterNames(filter, command, program, "node"));
    if (filter.option === undefined) return `(${when})`;
    const isSwitch = command.options.find(({ name }) => name === filter.option)!.type === "boolean";
    const value = `values${memberOf(filter.option)}`;
    return `(${value} ${isSwitch ? "!== true" : "=== undefined"} || (${when}))`;
  });
  const all = "matching(await readRecords(), fieldValues(values))";
  if (conditions.length === 0) return [`  const records = ${all};`];
  return [`  const isWanted = (record) => ${conditions.join(" && ")};`, `  const records = ${all}.filter(isWanted);`];
}

function orderOf({ sort, sortBy }: Command): string {
  return sortBy === undefined ? js(sort) : `values${memberOf(sortBy.name)} ?? ${js(sort)}`;
}

function memberOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${js(name)}]`;
}

function limited(options: readonly Field[]): string {
  return options.some(({ name }) => name === "limit") ? ".slice(0, values.limit)" : "";
}

function optionList(command: Command, program: Program): string {
  const isFilter = ["list", "sum", "count", "update"].includes(command.does);
  const all = fieldList(command.options, program);
  const options = isFilter && command.options.length > 0 ? `asFilters(${all})` : all;
  const more = [command.groupBy, command.sortBy].filter((field) => field !== undefined);
  if (more.length === 0) return options;
  const listed = more.map((field) => literal(field, "  ")).join(", ");
  return command.options.length === 0 ? `[${listed}]` : `[...${options}, ${listed}]`;
}

/** Refers to the record's fields by name where they are unchanged. */
function fieldList(list: readonly Field[], { record }: Program): string {
  const isPlain = (field: Field) =>
    record !== undefined && (isId(field) || record.fields.some((known) => js(known) === js(field)));
  if (list.length > 0 && list.every(isPlain)) return `fieldsNamed(${list.map(({ name }) => js(name)).join(", ")})`;
  return literal(list, "  ");
}

function isId(field: Field): boolean {
  return js(field) === js({ name: "id", type: "integer" });
}
