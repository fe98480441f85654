import { literal } from "../../kit/literal.ts";
import { comment, js } from "../../kit/quote.ts";
import type { Command, Field, Program } from "./model.ts";

/** The module of one command. */
export function commandModule(command: Command, program: Program): string {
  const body = bodies[command.does](command, program);
  const own = `${fieldList(command.arguments, program)}${optionList(command, program)}`;
  const known = ["fieldsNamed", "asFilters"].filter((name) => own.includes(`${name}(`));
  const fromRecords = [...known, ...(body.records ?? [])].toSorted();
  return [
    ...(body.imports ?? []),
    ...(fromRecords.length > 0 ? [`import { ${fromRecords.join(", ")} } from "../records.js";`] : []),
    ...(body.late ?? []),
    ...(fromRecords.length + (body.imports ?? []).length + (body.late ?? []).length > 0 ? [""] : []),
    `/** ${comment(command.summary)} */`,
    "export default {",
    `  name: ${js(command.name)},`,
    `  order: ${command.order},`,
    `  summary: ${js(command.summary)},`,
    ...(command.example === undefined ? [] : [`  example: ${js(command.example)},`]),
    `  arguments: ${fieldList(command.arguments, program)},`,
    `  options: ${optionList(command, program)},`,
    ...body.lines.map((line) => `  ${line}`),
    "};",
  ].join("\n");
}

interface Body {
  readonly imports?: readonly string[];
  /** What it imports from the module `records`. */
  readonly records?: readonly string[];
  readonly late?: readonly string[];
  readonly lines: readonly string[];
}

const fill = 'import { fill } from "../template.js";';
const fields = 'import { fields } from "../record.js";';
const table = 'import { table } from "../table.js";';

const bodies: Readonly<Record<Command["does"], (command: Command, program: Program) => Body>> = {
  create: ({ prints }) => ({
    imports: [fields],
    records: ["fieldValues"],
    late: [fill],
    lines: [
      "async run({ values, store, print }) {",
      "  const created = await store.add(fieldValues(values));",
      `  print(created, fill(${js(prints)}, created, fields));`,
      "},",
    ],
  }),
  list: ({ columns, sort, options }) => ({
    records: ["fieldValues", "matching", "sorted"],
    late: [table],
    lines: [
      "async run({ values, readRecords, print }) {",
      `  const found = sorted(matching(await readRecords(), fieldValues(values)), ${js(sort)})${limited(options)};`,
      `  print(found, table(${literal(columns)}, found));`,
      "},",
    ],
  }),
  get: ({ columns }) => ({
    late: [table],
    lines: [
      "async run({ values, findRecord, print }) {",
      "  const found = await findRecord(values.id);",
      `  print(found, table(${literal(columns)}, [found]));`,
      "},",
    ],
  }),
  update: ({ prints, sets }) => ({
    imports: [fields],
    records: ["fieldValues"],
    late: [fill],
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
    late: [fill],
    lines: [
      "async run({ values, store, print }) {",
      "  const removed = await store.remove(values.id);",
      `  print(removed, fill(${js(prints)}, removed, fields));`,
      "},",
    ],
  }),
  sum: ({ sums, groupBy }) => ({
    records: ["fieldValues", "matching", "sumOf"],
    late: ['import { sumTable } from "../table.js";'],
    lines: [
      "async run({ values, readRecords, print }) {",
      "  const records = matching(await readRecords(), fieldValues(values));",
      `  const sums = sumOf(records, ${js(sums)}${groupBy === undefined ? "" : `, values[${js(groupBy.name)}]`});`,
      `  print(sums, sumTable(${js(sums)}, sums));`,
      "},",
    ],
  }),
  count: () => ({
    records: ["fieldValues", "matching"],
    lines: [
      "async run({ values, readRecords, print }) {",
      "  const count = matching(await readRecords(), fieldValues(values)).length;",
      "  print({ count }, String(count));",
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
    imports: [fill],
    lines: ["run({ values, print }) {", `  print({ ...values }, fill(${js(prints)}, values));`, "},"],
  }),
  unbuilt: ({ name }) => ({
    imports: ['import { Failure } from "../errors.js";'],
    lines: ["run() {", `  throw new Failure(${js(`${name} was not built: nothing says what it does`)});`, "},"],
  }),
};

function limited(options: readonly Field[]): string {
  return options.some(({ name }) => name === "limit") ? ".slice(0, values.limit)" : "";
}

function optionList(command: Command, program: Program): string {
  const isFilter = ["list", "sum", "count", "update"].includes(command.does);
  const all = fieldList(command.options, program);
  const options = isFilter && command.options.length > 0 ? `asFilters(${all})` : all;
  if (command.groupBy === undefined) return options;
  return command.options.length === 0
    ? `[${literal(command.groupBy, "  ")}]`
    : `[...${options}, ${literal(command.groupBy, "  ")}]`;
}

/** Refers to the record's fields by name where they are unchanged. */
function fieldList(list: readonly Field[], { record }: Program): string {
  const isPlain = (field: Field) =>
    record !== undefined && (isId(field) || record.fields.some((known) => js(known) === js(field)));
  if (list.length > 0 && list.every(isPlain)) return `fieldsNamed(${list.map(({ name }) => js(name)).join(", ")})`;
  return `[${list.map((field) => literal(field, "  ")).join(", ")}]`;
}

function isId(field: Field): boolean {
  return js(field) === js({ name: "id", type: "integer" });
}
