import { computedCases } from "./computed-cases.ts";
import type { Command, Program } from "./model.ts";
import { sampleOf, storedSample } from "./samples.ts";

/** A command line that a test runs, and what must come of it. */
export interface Step {
  readonly words: readonly string[];
  readonly input?: string;
  readonly ends: "ok" | "failed" | "usage";
  /** What the output, read as JSON, must have; of maps only the keys that are named. */
  readonly json?: unknown;
  readonly output?: string;
  readonly errors?: string;
}

/** A test of a command, in no language yet. */
export interface CommandCase {
  readonly title: string;
  /** Records that are there before. */
  readonly stored?: readonly Readonly<Record<string, unknown>>[];
  readonly steps: readonly Step[];
}

/** The tests of a command, which follow from what the document says about it. */
export function commandCases(command: Command, program: Program): readonly CommandCase[] {
  return [...workCases(command, program), ...refusals(command)];
}

function workCases(command: Command, program: Program): readonly CommandCase[] {
  if (command.does === "compute") return computedCases(command, program);
  const words = command.arguments.map((field) => (field.name === "id" ? "1" : sampleOf(field)));
  const options = neededOptions(command);
  if (options === undefined || words.some((word) => word === undefined)) return [];
  const line = [command.name, ...(words as string[]), ...options];
  const steps = stepsOf(command, program, line);
  const stored = command.does === "create" || command.does === "import" ? [] : [storedRecord(program)];
  const needsStore = !["print", "rows", "completion"].includes(command.does);
  return [{ title: `${command.name} ${sentences[command.does]}`, ...(needsStore && { stored }), steps }];
}

const sentences: Readonly<Record<Command["does"], string>> = {
  create: "keeps what it is given, and numbers it",
  list: "shows what is kept",
  sum: "adds up what is kept",
  count: "counts what is kept",
  get: "shows one by its number, and says when there is none",
  delete: "removes one by its number, and says when there is none",
  update: "changes one by its number, and says when there is none",
  import: "keeps what a file has, all or nothing",
  rows: "shows every row",
  compute: "works out its result",
  print: "prints its text",
  completion: "prints a script",
};

function stepsOf(command: Command, program: Program, line: readonly string[]): readonly Step[] {
  const asJson = [...line, "--json"];
  switch (command.does) {
    case "create": {
      const given = Object.fromEntries(command.arguments.map((field) => [field.name, storedSample(field)]));
      return [
        { words: line, ends: "ok" },
        { words: asJson, ends: "ok", json: { ...given, id: 2 } },
      ];
    }
    case "list":
      return listSteps(command, program, line);
    case "count":
      return [{ words: asJson, ends: "ok", ...(isSteady(command) && { json: { count: 1 } }) }];
    case "sum": {
      const total = storedRecord(program)[command.sums] ?? 0;
      const json = [{ key: "total", sum: total }];
      return [
        { words: line, ends: "ok" },
        { words: asJson, ends: "ok", ...(isSteady(command) && { json }) },
      ];
    }
    case "get":
    case "update":
    case "delete": {
      const gone = line.map((word, place) => (command.arguments[place - 1]?.name === "id" ? "999" : word));
      return [
        { words: gone, ends: "failed", errors: "999" },
        { words: asJson, ends: "ok", json: { ...(command.does === "update" && command.sets), id: 1 } },
        ...(command.does === "delete" ? [{ words: line, ends: "failed", errors: "1" } as const] : []),
      ];
    }
    case "import":
      return importSteps(command, program);
    case "rows": {
      const names = Object.keys(program.tables[command.table!]!);
      return [
        { words: line, ends: "ok", ...(names.length > 0 && { output: names[0]! }) },
        { words: asJson, ends: "ok", json: names.map((name) => ({ name })) },
      ];
    }
    case "print": {
      const values = Object.fromEntries(command.arguments.map((field, place) => [field.name, line[place + 1]!]));
      const isPlain = command.options.length === 0 && command.arguments.every(({ type }) => type === "string");
      const text = command.prints.replace(/\{([^{}]+)\}/g, (whole, name: string) => values[name] ?? whole);
      return [
        { words: line, ends: "ok", ...(isPlain && { output: text }) },
        { words: asJson, ends: "ok", json: {} },
      ];
    }
    default:
      return [{ words: asJson, ends: "ok", json: {} }];
  }
}

function listSteps(command: Command, program: Program, line: readonly string[]): readonly Step[] {
  const { columns, options } = command;
  const filter = options.find(({ type, values, min_length, name }) => {
    return type === "string" && !values && !min_length && program.record!.fields.some((field) => field.name === name);
  });
  const isPlain = isSteady(command);
  return [
    { words: line, ends: "ok" },
    { words: [...line, "--format", "csv"], ends: "ok", ...(isPlain && { output: columns.map(csvCell).join(",") }) },
    { words: [...line, "--json"], ends: "ok", ...(isPlain && { json: [storedRecord(program)] }) },
    ...(filter === undefined
      ? []
      : [{ words: [...line, `--${filter.name}`, "x", "--json"], ends: "ok", json: [] } as const]),
    ...options
      .filter(({ name }) => command.filters.some(({ option }) => option === name))
      .flatMap((field): Step[] => {
        const sample = sampleOf(field);
        return sample === undefined ? [] : [{ words: [...line, `--${field.name}=${sample}`, "--json"], ends: "ok" }];
      }),
  ];
}

/** Whether the sample is surely among what the command looks at: no expression of its own decides. */
function isSteady({ filters, options }: Command): boolean {
  return filters.every(({ option }) => {
    const field = options.find(({ name }) => name === option);
    return field !== undefined && field.default === undefined;
  });
}

function importSteps(command: Command, program: Program): readonly Step[] {
  const record = storedRecord(program);
  const names = Object.keys(record).filter((name) => name !== "id");
  const cells = names.map((name) => csvCell(String(record[name])));
  const input = `${names.map(csvCell).join(",")}\n${cells.join(",")}\n`;
  return [
    { words: [command.name, "-", "--json"], input, ends: "ok", json: { count: 1 } },
    { words: [command.name, "-"], input: "no such column\n1\n", ends: "failed", errors: "no such column" },
  ];
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function refusals({ name, arguments: expected }: Command): readonly CommandCase[] {
  const [first] = expected;
  const choice = expected.find(({ values, type }) => values !== undefined && type !== "integer");
  const needs = first !== undefined && !first.optional && first.default === undefined && first.stdin === undefined;
  const wrong = expected
    .slice(0, expected.indexOf(choice!))
    .map((field) => (field.name === "id" ? "1" : sampleOf(field)));
  // All words are there: where one is missing, it may be standard input that is meant.
  const later = expected.slice(expected.indexOf(choice!) + 1).flatMap((field) => sampleOf(field) ?? []);
  const isTypable = choice !== undefined && wrong.every((word) => word !== undefined);
  return [
    ...(needs
      ? [
          {
            title: `${name} is refused without what it needs`,
            steps: [{ words: [name], ends: "usage", errors: first.name } as const],
          },
        ]
      : []),
    ...(isTypable
      ? [
          {
            title: `${name} refuses what is no choice`,
            steps: [
              {
                words: [name, ...(wrong as string[]), "no such choice", ...later],
                ends: "usage",
                errors: choice.name,
              } as const,
            ],
          },
        ]
      : []),
  ];
}

function neededOptions({ options, does }: Command): readonly string[] | undefined {
  const isFilter = ["list", "sum", "count", "update"].includes(does);
  const needed = options
    .filter(({ required }) => required && !isFilter)
    .map((field) => [`--${field.name}=`, sampleOf(field)] as const);
  return needed.every(([, text]) => text !== undefined) ? needed.map(([name, text]) => `${name}${text}`) : undefined;
}

function storedRecord({ record }: Program): Readonly<Record<string, unknown>> {
  const fields = (record?.fields ?? []).map((field) => [field.name, storedSample(field)] as const);
  return { id: 1, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) };
}
