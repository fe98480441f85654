import { SafeNames } from "../../kit/safe-name.ts";
import type { Command, Field, Filter, Kind, Program, Tables } from "./model.ts";
import { readComputation } from "./read-computation.ts";
import { type Refuse, readParameter, type WrittenCommand } from "./read-field.ts";
import { readScoped, scopeOf } from "./scope.ts";

export interface CommandContext {
  readonly order: number;
  readonly name: string;
  readonly record: Program["record"];
  readonly tables: Tables;
  /** The document's options for every command. */
  readonly globals: readonly Field[];
  /** Names of options that every command has. */
  readonly reserved: readonly string[];
  readonly refuse: Refuse;
  /** Told of each option of the whole program that the command uses. */
  readonly uses: (option: string) => void;
}

export const shellArgument: Field = { name: "shell", type: "enum", values: ["bash", "zsh", "fish"] };

/** A command of the document; undefined if it cannot be built, which is then refused. */
export function readCommand(written: WrittenCommand, context: CommandContext): Command | undefined {
  const command = readDeed(written, context);
  if (command !== undefined && printing.includes(command.does)) refuseUnknownValues(command, context);
  return command;
}

const printing: readonly Kind[] = ["print", "compute", "create", "update", "delete", "import"];

/** A name in braces that stands for nothing is printed as it stands. */
function refuseUnknownValues(command: Command, { record, globals, refuse }: CommandContext): void {
  const { does, prints, computation } = command;
  const known = [
    ...[...command.arguments, ...command.options, ...globals].map(({ name }) => name),
    ...(["create", "update", "delete"].includes(does) ? ["id", ...record!.fields.map(({ name }) => name)] : []),
    ...(does === "import" ? ["count"] : []),
    ...(computation?.results.map(({ name }) => name) ?? []),
    ...(computation?.forEach === undefined ? [] : [computation.forEach.name]),
  ];
  for (const [, name] of prints.matchAll(/\{([A-Za-z][\w-]*)\}/g))
    if (!known.includes(name!))
      refuse(
        "/prints",
        `There is no value '${name}', so {${name}} is printed as it stands: there is ${[...new Set(known)].join(", ") || "none"}.`,
      );
}

function readDeed(written: WrittenCommand, context: CommandContext): Command | undefined {
  const { order, name, record, tables, refuse } = context;
  const does = readKind(written, context);
  if (does === undefined) return undefined;
  const fields = record?.fields ?? [];
  const names = new SafeNames(context.reserved);
  const parameters = (list: "arguments" | "options") =>
    (does === "completion" ? [] : (written[list] ?? [])).map((value, index) =>
      readParameter(value, {
        fields: does === "compute" || does === "print" ? [] : fields,
        tables,
        names,
        refuse: (pointer, reason) => refuse(`/${list}/${index}${pointer}`, reason),
      }),
    );
  const kept = (list: "arguments" | "options") =>
    parameters(list).filter((field, index) => {
      const isUsed = !["create", "update"].includes(does) || isStored(field, does, fields);
      if (!isUsed) refuse(`/${list}/${index}`, `A ${record!.name} has no field '${field.name}': it is left out.`);
      return isUsed;
    });
  const given = kept("arguments");
  const options = kept("options");
  const base: Command = {
    name,
    file: name,
    order,
    summary: written.summary ?? name,
    ...(written.example !== undefined && { example: written.example }),
    does,
    arguments: argumentsOf(does, given),
    options,
    prints: "",
    ...(does !== "completion" && written.format !== undefined && { format: written.format }),
    columns: [],
    sums: "",
    sort: "id",
    sets: {},
    filters: [],
  };
  switch (does) {
    case "compute":
      return readComputation(written, base, context);
    case "print":
      for (const each of [...given, ...options]) refuseUnusedValue(each, written, refuse, options);
      return { ...base, prints: written.prints ?? "" };
    case "create":
      return {
        ...base,
        options: withNeeded(options, given, fields, written.options !== undefined),
        prints: written.prints ?? "Added {id}",
      };
    case "delete":
      return { ...base, prints: written.prints ?? "Removed {id}" };
    case "update":
      return { ...base, prints: written.prints ?? "Changed {id}", sets: readSets(written, fields, refuse) };
    case "import":
      return { ...base, prints: written.prints ?? "Added {count}" };
    case "rows":
      return { ...base, table: written.table!, columns: rowColumns(tables[written.table!]!) };
    case "get":
      return { ...base, columns: readColumns(written, fields, refuse) };
    case "list":
    case "count":
    case "sum":
      return readQuery(written, base, context);
    case "completion":
      return base;
  }
}

/** Whether a command that stores a record has a place for the value. */
function isStored({ name }: Field, does: Kind, fields: readonly Field[]): boolean {
  return fields.some((field) => field.name === name) || (does === "update" && name === "id");
}

function readKind(written: WrittenCommand, { record, tables, refuse }: CommandContext): Kind | undefined {
  const { does = written.result !== undefined ? "compute" : written.prints !== undefined ? "print" : undefined } =
    written;
  if (does === undefined) {
    refuse("", "Nothing says what this command does: give it 'does', 'result' or 'prints'.");
    return undefined;
  }
  if (does === "list" && written.table !== undefined) {
    if (Object.hasOwn(tables, written.table)) return "rows";
    refuse("/table", `There is no table '${written.table}' under cli.tables: the command is not built.`);
    return undefined;
  }
  if (does === "compute" && written.result === undefined) {
    refuse("/does", "To compute, the command needs 'result': it is not built.");
    return undefined;
  }
  if (!["compute", "print", "completion"].includes(does) && record === undefined) {
    refuse("/does", `To do '${does}' the document must say what a record is, under cli.record: it is not built.`);
    return undefined;
  }
  return does;
}

/** What shows records: which of them, in what order, and added up how. */
function readQuery(written: WrittenCommand, base: Command, context: CommandContext): Command {
  const { record, refuse } = context;
  const fields = record?.fields ?? [];
  const filters = readFilters(written, base, context);
  for (const [place, { name }] of base.options.entries()) {
    const isServed = name === "limit" || fields.some((field) => field.name === name);
    const hasRule = filters.some(({ option }) => option === name);
    if (!isServed && !hasRule)
      refuse(`/options/${place}`, `--${name} changes nothing: it is no field, and has no 'where'.`);
  }
  if (base.does === "count") return { ...base, filters };
  if (base.does === "sum") return { ...base, filters, ...readSum(written, fields, refuse) };
  return { ...base, filters, columns: readColumns(written, fields, refuse), ...readSort(written, fields, refuse) };
}

function readFilters(written: WrittenCommand, base: Command, { record, tables, refuse }: CommandContext): Filter[] {
  const fields = record?.fields ?? [];
  const scope = scopeOf([{ name: "id", type: "integer", required: true }, ...fields], tables);
  const filters: Filter[] = [];
  if (written.where !== undefined) {
    const when = readScoped(written.where, scope, ["boolean"], (reason) => refuse("/where", reason));
    if (when !== undefined) filters.push({ when });
  }
  for (const [index, value] of (written.options ?? []).entries()) {
    if (typeof value === "string" || value.where === undefined) continue;
    const at = `/options/${index}/where`;
    const option = base.options[index]!;
    if (fields.some(({ name }) => name === option.name)) {
      refuse(at, `An option with 'where' needs a name of its own: ${option.name} is a field.`);
      continue;
    }
    const own = new Map([...scope, ...scopeOf([option], {})]);
    const when = readScoped(value.where, own, ["boolean"], (reason) => refuse(at, reason));
    if (when !== undefined) filters.push({ option: option.name, when });
  }
  return filters;
}

function readSum(written: WrittenCommand, fields: readonly Field[], refuse: Refuse): Pick<Command, "sums" | "groupBy"> {
  const numbers = fields.filter(({ type }) => ["decimal", "number", "integer"].includes(type)).map(({ name }) => name);
  const { sums = numbers[0] ?? "", group_by: group } = written;
  if (!numbers.includes(sums)) refuse("/sums", "This is no field with numbers: nothing is added up.");
  if (group === undefined) return { sums };
  const values = known(group.values, fields, (index, reason) => refuse(`/group_by/values/${index}`, reason));
  return values.length === 0
    ? { sums }
    : { sums, groupBy: { name: new SafeNames().take(group.option.replace(/^--/, "")), type: "enum", values } };
}

function readSort(written: WrittenCommand, fields: readonly Field[], refuse: Refuse): Pick<Command, "sort" | "sortBy"> {
  const day = fields.find(({ type }) => type === "date" || type === "datetime");
  const { sort } = written;
  if (sort === undefined) return { sort: day === undefined ? "id" : `-${day.name}` };
  if (typeof sort === "string") {
    const [only] = known([sort], fields, (_, reason) => refuse("/sort", reason));
    return { sort: only ?? "id" };
  }
  const values = known(sort.values, fields, (index, reason) => refuse(`/sort/values/${index}`, reason));
  if (values.length === 0) return { sort: "id" };
  const name = new SafeNames().take(sort.option.replace(/^--/, ""));
  return { sort: values[0]!, sortBy: { name, type: "enum", values, default: values[0]! } };
}

/** Those of the names that are fields, `id`, or one of them with a minus before it. */
function known(
  names: readonly string[],
  fields: readonly Field[],
  refuse: (index: number, reason: string) => void,
): string[] {
  return names.filter((written, index) => {
    const name = written.replace(/^-/, "");
    const isKnown = name === "id" || fields.some((field) => field.name === name);
    if (!isKnown) refuse(index, `There is no field '${name}'.`);
    return isKnown;
  });
}

function readColumns(written: WrittenCommand, fields: readonly Field[], refuse: Refuse): readonly string[] {
  const all = ["id", ...fields.map(({ name }) => name)];
  if (written.columns === undefined) return all;
  const columns = known(written.columns, fields, (index, reason) => refuse(`/columns/${index}`, reason));
  return columns.length === 0 ? all : columns;
}

function rowColumns(rows: Readonly<Record<string, unknown>>): readonly string[] {
  const names = Object.values(rows).flatMap((row) => (typeof row === "object" ? Object.keys(row!) : ["value"]));
  return ["name", ...new Set(names.filter((name) => name !== "name"))];
}

function readSets(written: WrittenCommand, fields: readonly Field[], refuse: Refuse): Command["sets"] {
  return Object.fromEntries(
    Object.entries(written.sets ?? {}).filter(([name]) => {
      const isField = fields.some((field) => field.name === name);
      if (!isField) refuse(`/sets/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, `There is no field '${name}'.`);
      return isField;
    }),
  );
}

/** A printed text that does not have an option's value makes the option useless. */
function refuseUnusedValue(field: Field, written: WrittenCommand, refuse: Refuse, options: readonly Field[]): void {
  const place = options.indexOf(field);
  if (place !== -1 && !written.prints?.includes(`{${field.name}}`))
    refuse(`/options/${place}`, `--${field.name} changes nothing: 'prints' does not have {${field.name}}.`);
}

function argumentsOf(does: Kind, given: readonly Field[]): readonly Field[] {
  if (["get", "update", "delete"].includes(does) && !given.some(({ name }) => name === "id"))
    return [{ name: "id", type: "integer" }, ...given];
  if (does === "import" && given.length === 0) return [{ name: "source", type: "path" }];
  return does === "completion" ? [shellArgument] : given;
}

/** Adds options for required fields and defaults that the command does not list. */
function withNeeded(options: readonly Field[], given: readonly Field[], fields: readonly Field[], isListed: boolean) {
  const named = new Set([...options, ...given].map(({ name }) => name));
  const left = fields.filter(({ name }) => !named.has(name));
  return [...options, ...left.filter((field) => !isListed || field.required || field.default !== undefined)];
}
