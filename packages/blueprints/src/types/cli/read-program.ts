import type { CompleteSpec } from "@slipway/spec";
import { type Fields, fieldsOf, listOf, textOf, textsOf, wholeOf } from "../../kit/read-value.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Unmet } from "../../plugin.ts";
import { type Command, type Field, type Kind, kinds, type Program, type ReadProgram } from "./model.ts";
import { readField } from "./read-field.ts";
import { readInvocations } from "./read-invocations.ts";

const knownGlobals = new Set(["json", "input", "config", "help", "version"]);
const knownKeys = new Set(
  `binary name version description data_file exit_codes record global_options commands`.split(" "),
);
const knownCommandKeys = new Set(
  "name summary does arguments options prints columns sums group_by example sort sets".split(" "),
);

/** Reads the program from the document's `cli` block. */
export function readProgram(document: CompleteSpec, cli: Fields): ReadProgram {
  const unmet: Unmet[] = [];
  const refuse = (pointer: string, reason: string) => unmet.push({ pointer: `/cli${pointer}`, reason });
  for (const key of Object.keys(cli)) if (!knownKeys.has(key)) refuse(`/${key}`, "The builder does not know this key.");
  const name = programName(textOf(cli["binary"], textOf(cli["name"], document.id)));
  const record = readRecord(cli["record"]);
  const dataFile = readDataFile(fieldsOf(cli["data_file"]), name, record);
  const globalOptions = readGlobals(cli, { record, option: dataFile.option, refuse });
  const names = new SafeNames(["help"]);
  const commands = listOf(cli["commands"]).map((value, index) =>
    readCommand(fieldsOf(value), {
      index,
      name: names.take(textOf(fieldsOf(value)["name"], `command-${index + 1}`)),
      record,
      refuse: (pointer, reason) => refuse(`/commands/${index}${pointer}`, reason),
    }),
  );
  const hasCompletion = commands.some(({ does }) => does === "completion");
  return {
    program: {
      name,
      version: textOf(cli["version"], "1.0.0"),
      description: textOf(cli["description"], document.description),
      exitCodes: readExitCodes(document, fieldsOf(cli["exit_codes"])),
      dataFile,
      configVariable: `${variableName(name)}_CONFIG`,
      ...(record !== undefined && { record }),
      globalOptions,
      commands: hasCompletion ? commands : [...commands, completionCommand(names.take("completion"), commands.length)],
    },
    unmet,
  };
}

export function programName(name: string): string {
  return /^[A-Za-z\d][\w.-]{0,62}$/.test(name) ? name : new SafeNames().take(name);
}

export function variableName(name: string): string {
  return name
    .toUpperCase()
    .replace(/[^A-Z\d]+/g, "_")
    .replace(/^(?=\d)/, "_");
}

function readRecord(value: unknown): Program["record"] {
  const record = fieldsOf(value);
  const names = new SafeNames(["id", "json", "input", "config", "help", "version", "by"]);
  const fields = Object.entries(fieldsOf(record["fields"])).map(([name, rules]) =>
    readField(names.take(name), typeof rules === "string" ? { type: rules } : fieldsOf(rules)),
  );
  return fields.length === 0 ? undefined : { name: textOf(record["name"], "record"), fields };
}

function readDataFile(data: Fields, name: string, record: Program["record"]): Program["dataFile"] {
  const wanted = textOf(data["option"], "--file").replace(/^--/, "");
  const names = new SafeNames(["id", "json", "input", "config", ...(record?.fields ?? []).map((field) => field.name)]);
  return {
    fallback: textOf(data["default"], `./${name}.json`),
    variable: variableName(textOf(data["variable"], `${name}_file`)),
    option: names.take(wanted),
  };
}

interface GlobalContext {
  readonly record: Program["record"];
  readonly option: string;
  readonly refuse: (pointer: string, reason: string) => void;
}

function readGlobals(cli: Fields, { record, option, refuse }: GlobalContext): readonly Field[] {
  const names = new SafeNames(["help", "version", "config", option]);
  const given = listOf(cli["global_options"]).flatMap((value, index) => {
    const rules = typeof value === "string" ? { name: value } : fieldsOf(value);
    const wanted = textOf(rules["name"], `option-${index + 1}`).replace(/^--/, "");
    if (["help", "version", "config", option].includes(wanted)) return [];
    if (!knownGlobals.has(wanted) || (wanted === "input" && record === undefined))
      refuse(`/global_options/${index}`, `The option --${wanted} is taken, and changes nothing.`);
    return [readField(names.take(wanted), { type: "boolean", ...rules })];
  });
  const json = { name: "json", type: "boolean", summary: "Print JSON instead of text" };
  const file = { name: option, type: "path", summary: "The data file" };
  const config = { name: "config", type: "path", summary: "A JSON file with values of these options" };
  return [
    ...given,
    ...(given.some(({ name }) => name === "json") ? [] : [json]),
    ...(record === undefined ? [] : [file]),
    config,
  ];
}

interface CommandContext {
  readonly index: number;
  readonly name: string;
  readonly record: Program["record"];
  readonly refuse: (pointer: string, reason: string) => void;
}

function readCommand(rules: Fields, { index, name, record, refuse }: CommandContext): Command {
  for (const key of Object.keys(rules))
    if (!knownCommandKeys.has(key)) refuse(`/${key}`, "The builder does not know this key of a command.");
  const does = readKind(rules, record, refuse);
  const fields = record?.fields ?? [];
  const names = new SafeNames(["help", "json", "config"]);
  const given = listOf(rules["arguments"]).map((value) => readParameter(value, fields, names));
  const options = listOf(rules["options"]).map((value) => readParameter(value, fields, names));
  for (const [place, option] of options.entries())
    if (!isServed(option, does, fields)) refuse(`/options/${place}`, `The option --${option.name} changes nothing.`);
  const group = readGroup(fieldsOf(rules["group_by"]), fields);
  const date = fields.find(({ type }) => type === "date" || type === "datetime");
  return {
    name,
    file: name,
    order: index + 1,
    summary: textOf(rules["summary"], name),
    ...(typeof rules["example"] === "string" && { example: rules["example"] }),
    does,
    arguments: argumentsOf(does, given),
    options: does === "create" ? withNeeded(options, given, fields, "options" in rules) : options,
    prints: textOf(rules["prints"], defaultPrints[does]),
    columns: "columns" in rules ? textsOf(rules["columns"]) : ["id", ...fields.map((field) => field.name)],
    sums: textOf(rules["sums"], fields.find(({ type }) => /decimal|number|integer/.test(type))?.name ?? ""),
    ...(group !== undefined && { groupBy: group }),
    sort: textOf(rules["sort"], date === undefined ? "id" : `-${date.name}`),
    sets: fieldsOf(rules["sets"]),
  };
}

/** An argument or option: a field of the record, or one of the command's own. */
function readParameter(value: unknown, fields: readonly Field[], names: SafeNames): Field {
  const rules = typeof value === "string" ? { name: value } : fieldsOf(value);
  const wanted = textOf(rules["name"], "value").replace(/^--/, "");
  const known = fields.find((field) => field.name === wanted);
  if (known === undefined)
    return readField(names.take(wanted), wanted === "id" ? { type: "integer", ...rules } : rules);
  names.take(wanted);
  return typeof value === "string" ? known : { ...known, ...readField(wanted, { type: known.type, ...rules }) };
}

function isServed({ name }: Field, does: Kind, fields: readonly Field[]): boolean {
  return does === "print" || name === "limit" || fields.some((field) => field.name === name);
}

function readKind(rules: Fields, record: Program["record"], refuse: CommandContext["refuse"]): Kind {
  const wanted = textOf(rules["does"], "prints" in rules ? "print" : "");
  const kind = kinds.find((each) => each === wanted);
  if (kind === undefined) {
    refuse("/does", `The builder does not know how to do '${wanted}': the command says so and fails.`);
    return "unbuilt";
  }
  if (kind !== "print" && kind !== "completion" && record === undefined) {
    refuse("/does", `To do '${kind}' the document must say what a record is, under cli.record.fields.`);
    return "unbuilt";
  }
  return kind;
}

const defaultPrints: Readonly<Record<Kind, string>> = {
  create: "Added {id}",
  update: "Changed {id}",
  delete: "Removed {id}",
  list: "",
  get: "",
  sum: "",
  count: "",
  completion: "",
  print: "",
  unbuilt: "",
};

function argumentsOf(does: Kind, given: readonly Field[]): readonly Field[] {
  if (["get", "update", "delete"].includes(does) && !given.some(({ name }) => name === "id"))
    return [{ name: "id", type: "integer" }, ...given];
  if (does === "completion") return [{ name: "shell", type: "enum", values: ["bash", "zsh", "fish"] }];
  return given;
}

/** Adds options for required fields and defaults that the command does not list. */
function withNeeded(options: readonly Field[], given: readonly Field[], fields: readonly Field[], isListed: boolean) {
  const named = new Set([...options, ...given].map(({ name }) => name));
  const left = fields.filter(({ name }) => !named.has(name));
  return [...options, ...left.filter((field) => !isListed || field.required || field.default !== undefined)];
}

function readGroup(group: Fields, fields: readonly Field[]): Field | undefined {
  const values = textsOf(group["values"]).filter((name) => fields.some((field) => field.name === name));
  if (values.length === 0) return undefined;
  return { name: new SafeNames().take(textOf(group["option"], "by")), type: "enum", values };
}

export function completionCommand(name: string, count: number): Command {
  return {
    name,
    file: name,
    order: count + 1,
    summary: "Print a completion script for a shell",
    does: "completion",
    arguments: argumentsOf("completion", []),
    options: [],
    prints: "",
    columns: [],
    sums: "",
    sort: "id",
    sets: {},
  };
}

function readExitCodes(document: CompleteSpec, codes: Fields): Program["exitCodes"] {
  const [ok, failed, usage] = [
    wholeOf(codes["ok"], 0, { min: 0, max: 255 }),
    wholeOf(codes["failed"], 1, { min: 0, max: 255 }),
    wholeOf(codes["usage"], 2, { min: 0, max: 255 }),
  ];
  const bare = readInvocations(document).find(({ words }) => words.length === 0)?.check.exitCode ?? usage;
  return { ok, failed, usage, bare };
}
