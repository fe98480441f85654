import type { Names } from "../../kit/expression/write-expression.ts";
import { js, py } from "../../kit/quote.ts";
import type { Command, Field, Filter, Program } from "./model.ts";
import { wordFor } from "./scope.ts";

/** How a language writes a value of a command line, of a record, and a table. */
interface Places {
  readonly value: (field: Field) => string;
  readonly recordValue: (field: Field) => string;
  readonly table: (name: string) => string;
}

const id: Field = { name: "id", type: "integer" };

/** The names of a computation's expressions, which work on `row`. */
export function computationNames(command: Command, program: Program, language: "node" | "python"): Names {
  const places = language === "node" ? node("row") : python("row");
  const { forEach, results = [] } = command.computation ?? {};
  const own = [...(forEach === undefined ? [] : [forEach]), ...results].map(({ name }) => ({ name, type: "string" }));
  const fields = [...program.globalOptions, ...command.options, ...command.arguments];
  return new Map([
    ...tableNames(program, places),
    ...fields.map((field) => [wordFor(field.name), places.value(field)] as const),
    ...own.map((field) => [field.name, places.value(field)] as const),
  ]);
}

/** The names of a filter's expression, which works on `record` and the option's value. */
export function filterNames(filter: Filter, command: Command, program: Program, language: "node" | "python"): Names {
  const places = language === "node" ? node("values") : python("values");
  const option = command.options.find(({ name }) => name === filter.option);
  const fields = [id, ...(program.record?.fields ?? [])];
  return new Map([
    ...tableNames(program, places),
    ...fields.map((field) => [wordFor(field.name), places.recordValue(field)] as const),
    ...(option === undefined ? [] : [[wordFor(option.name), places.value(option)] as const]),
  ]);
}

function tableNames({ tables }: Program, { table }: Places) {
  return Object.keys(tables).map((name) => [name, table(name)] as const);
}

function node(values: string): Places {
  const member = (of: string, name: string) =>
    /^[A-Za-z_$][\w$]*$/.test(name) ? `${of}.${name}` : `${of}[${js(name)}]`;
  return {
    value: ({ name, type }) => (type === "boolean" ? `(${member(values, name)} === true)` : member(values, name)),
    recordValue: ({ name, type }) => {
      const value = member("record", name);
      if (name === "id") return value;
      if (type === "boolean") return `(${value} === true)`;
      return isNumber(type) ? `numberOf(${value})` : `textOf(${value})`;
    },
    table: (name) => member("tables", name),
  };
}

function python(values: string): Places {
  return {
    value: ({ name, type, multiple }) => {
      const value = `${values}[${py(name)}]`;
      if (type === "boolean") return `(${values}.get(${py(name)}) is True)`;
      if (!isNumber(type)) return value;
      return multiple === true ? `[float(each) for each in ${value}]` : `float(${value})`;
    },
    recordValue: ({ name, type }) => {
      const value = `record.get(${py(name)})`;
      if (type === "boolean") return `(${value} is True)`;
      return isNumber(type) ? `number_of(${value})` : `text_of(${value})`;
    },
    table: (name) => `TABLES[${py(name)}]`,
  };
}

function isNumber(type: string): boolean {
  return ["integer", "number", "decimal"].includes(type);
}
