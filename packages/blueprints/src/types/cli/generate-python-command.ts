import { comment, py } from "../../kit/quote.ts";
import type { Command, Field, Program } from "./model.ts";

/** The module of one command in Python. */
export function pythonCommand(command: Command, program: Program): string {
  const { imports, lines } = bodies[command.does](command);
  const own = [`ARGUMENTS = ${fieldList(command.arguments, program)}`, `OPTIONS = ${optionList(command, program)}`];
  const records = [
    "as_filters",
    "field_values",
    "fields_named",
    "in_order",
    "matching",
    "sum_of",
    "sum_table",
    "table",
  ];
  const used = records.filter((name) => [...own, ...lines].some((line) => line.includes(`${name}(`)));
  return [
    `# ${comment(command.summary)}`,
    ...imports.filter((line) => line < "from app.records"),
    ...(used.length > 0 ? [`from app.records import ${used.join(", ")}`] : []),
    ...imports.filter((line) => line > "from app.records"),
    "",
    `NAME = ${py(command.name)}`,
    `ORDER = ${command.order}`,
    `SUMMARY = ${py(command.summary)}`,
    `EXAMPLE = ${py(command.example)}`,
    ...own,
    "",
    "",
    "def run(values, resources):",
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
}

interface Body {
  readonly imports: readonly string[];
  readonly lines: readonly string[];
}

const fields = "from app.record import FIELDS";
const fill = "from app.values import fill";

const bodies: Readonly<Record<Command["does"], (command: Command) => Body>> = {
  create: ({ prints }) => ({
    imports: [fields, fill],
    lines: [
      "created = resources.store.add(field_values(values))",
      `resources.print(created, fill(${py(prints)}, created, FIELDS))`,
    ],
  }),
  list: ({ columns, sort, options }) => ({
    imports: [],
    lines: [
      `found = in_order(matching(resources.read_records(), field_values(values)), ${py(sort)})`,
      ...(options.some(({ name }) => name === "limit") ? ['found = found[: values.get("limit")]'] : []),
      `resources.print(found, table(${py(columns)}, found))`,
    ],
  }),
  get: ({ columns }) => ({
    imports: [],
    lines: ['found = resources.find_record(values["id"])', `resources.print(found, table(${py(columns)}, [found]))`],
  }),
  update: ({ prints, sets }) => ({
    imports: [fields, fill],
    lines: [
      `changed = resources.store.change(values["id"], {**field_values(values), **${py(sets)}})`,
      `resources.print(changed, fill(${py(prints)}, changed, FIELDS))`,
    ],
  }),
  delete: ({ prints }) => ({
    imports: [fields, fill],
    lines: [
      'removed = resources.store.remove(values["id"])',
      `resources.print(removed, fill(${py(prints)}, removed, FIELDS))`,
    ],
  }),
  sum: ({ sums, groupBy }) => ({
    imports: [],
    lines: [
      "records = matching(resources.read_records(), field_values(values))",
      `sums = sum_of(records, ${py(sums)}${groupBy === undefined ? "" : `, values.get(${py(groupBy.name)})`})`,
      `resources.print(sums, sum_table(${py(sums)}, sums))`,
    ],
  }),
  count: () => ({
    imports: [],
    lines: [
      "count = len(matching(resources.read_records(), field_values(values)))",
      'resources.print({"count": count}, str(count))',
    ],
  }),
  completion: () => ({
    imports: ["from app.completion import completion_script"],
    lines: [
      'script = completion_script(values["shell"], resources.commands)',
      'resources.print({"shell": values["shell"], "script": script}, script)',
    ],
  }),
  print: ({ prints }) => ({
    imports: [fill],
    lines: [`resources.print(values, fill(${py(prints)}, values))`],
  }),
  unbuilt: ({ name }) => ({
    imports: ["from app.errors import Failure"],
    lines: [`raise Failure(${py(`${name} was not built: nothing says what it does`)})`],
  }),
};

function optionList(command: Command, program: Program): string {
  const isFilter = ["list", "sum", "count", "update"].includes(command.does);
  const all = fieldList(command.options, program);
  const options = isFilter && command.options.length > 0 ? `as_filters(${all})` : all;
  return command.groupBy === undefined ? options : `${options} + [${py(command.groupBy)}]`;
}

function fieldList(list: readonly Field[], { record }: Program): string {
  const isPlain = (field: Field) =>
    py(field) === py({ name: "id", type: "integer" }) ||
    (record?.fields ?? []).some((known) => py(known) === py(field));
  if (list.length > 0 && list.every(isPlain)) return `fields_named(${list.map(({ name }) => py(name)).join(", ")})`;
  return py(list);
}
