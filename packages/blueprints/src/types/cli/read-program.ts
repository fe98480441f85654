import type { CompleteSpec } from "@slipway/spec";
import { typeOfData } from "../../kit/expression/value-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Unmet } from "../../plugin.ts";
import type { Command, Field, Program, ReadProgram, Tables } from "./model.ts";
import { readCommand, shellArgument } from "./read-command.ts";
import { type Cli, type Refuse, readField, readParameter } from "./read-field.ts";

/** Reads the program from the document's `cli` block. */
export function readProgram({ id, description }: CompleteSpec, cli: Cli = {}): ReadProgram {
  const unmet: Unmet[] = [];
  const refuse: Refuse = (pointer, reason) => unmet.push({ pointer: `/cli${pointer}`, reason });
  const name = programName(cli.binary ?? id);
  const record = readRecord(cli.record, refuse);
  const dataFile = readDataFile(cli.data_file, name, record, refuse);
  const tables = readTables(cli.tables, refuse);
  const { own, all } = readGlobals(cli, { record, tables, option: dataFile.option, refuse });
  const names = new SafeNames(["help"]);
  const used = new Set<string>();
  const commands = (cli.commands ?? []).flatMap((written, index, list) => {
    const isTaken = list.findIndex((other) => other.name === written.name) < index;
    if (isTaken) {
      refuse(`/commands/${index}`, "An earlier command has this name: this one is not built. Rename it.");
      return [];
    }
    const called = names.take(written.name);
    if (called !== written.name)
      refuse(`/commands/${index}/name`, `'${written.name}' is taken, or cannot be typed: it is called ${called}.`);
    const command = readCommand(written, {
      order: index + 1,
      name: called,
      record,
      tables,
      globals: own,
      reserved: ["help", "version", ...all.map((option) => option.name)],
      refuse: (pointer, reason) => refuse(`/commands/${index}${pointer}`, reason),
      uses: (option) => used.add(option),
    });
    return command === undefined ? [] : [command];
  });
  for (const [index, option] of own.entries())
    if (!used.has(option.name)) refuse(`/global_options/${index}`, `No expression uses --${option.name}.`);
  if (commands.length === 0) refuse("", "No command can be built: say under cli.commands what the program does.");
  const hasCompletion = commands.some(({ does }) => does === "completion");
  const bare = defaultCommand(cli.default_command, commands, refuse);
  return {
    program: {
      name,
      version: cli.version ?? "1.0.0",
      description: cli.description ?? description,
      entries: readEntries(cli.entry ?? [], name, refuse),
      exitCodes: readExitCodes(cli.exit_codes, bare !== undefined),
      dataFile,
      configVariable: `${variableName(name)}_CONFIG`,
      ...(record !== undefined && { record }),
      tables,
      globalOptions: all,
      commands: hasCompletion ? commands : [...commands, completionCommand(names.take("completion"), commands.length)],
      ...(bare !== undefined && { defaultCommand: bare }),
    },
    unmet,
  };
}

function programName(name: string): string {
  return /^[A-Za-z\d][\w.-]{0,62}$/.test(name) ? name : new SafeNames().take(name);
}

function variableName(name: string): string {
  return name
    .toUpperCase()
    .replace(/[^A-Z\d]+/g, "_")
    .replace(/^(?=\d)/, "_");
}

function readEntries(written: readonly string[], name: string, refuse: Refuse): readonly string[] {
  const own = [`bin/${name}`];
  for (const [index, path] of written.entries()) {
    const file = path.replace(/^\.\//, "");
    if (/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/.test(file)) own.push(file);
    else refuse(`/entry/${index}`, "No file of the project can be called like this.");
  }
  return [...new Set(own)];
}

function readRecord(written: Cli["record"], refuse: Refuse): Program["record"] {
  if (written === undefined) return undefined;
  const names = new SafeNames(["id", ...reservedOptions, "by"]);
  const fields = Object.entries(written.fields).map(([name, rules]) =>
    readField(names.take(name), typeof rules === "string" ? { type: rules } : rules, (pointer, reason) =>
      refuse(`/record/fields/${pointerPart(name)}${pointer}`, reason),
    ),
  );
  return fields.length === 0 ? undefined : { name: written.name ?? "record", fields };
}

/** Options that every program has. */
const reservedOptions = ["json", "format", "input", "config", "help", "version"];

function readDataFile(
  data: Cli["data_file"],
  name: string,
  record: Program["record"],
  refuse: Refuse,
): Program["dataFile"] {
  if (data !== undefined && record === undefined)
    refuse("/data_file", "Nothing is kept: say under cli.record what a record is.");
  const { default: fallback = `./${name}.json`, variable = `${name}_file`, option = "--file" } = data ?? {};
  const names = new SafeNames(["id", ...reservedOptions, ...(record?.fields ?? []).map((field) => field.name)]);
  return { fallback, variable: variableName(variable), option: names.take(option.replace(/^--/, "")) };
}

function readTables(written: Cli["tables"], refuse: Refuse): Tables {
  const usable = Object.entries(written ?? {}).filter(([name, rows]) => {
    const isName = /^[A-Za-z_]\w*$/.test(name);
    if (!isName) refuse(`/tables/${pointerPart(name)}`, "An expression cannot use this name: write letters and '_'.");
    return isName && typeOfData(rows) !== undefined;
  });
  // A copy: what is read of it is all of it.
  return Object.fromEntries(usable.map(([name, rows]) => [name, JSON.parse(JSON.stringify(rows)) as Tables[string]]));
}

interface GlobalContext {
  readonly record: Program["record"];
  readonly tables: Tables;
  readonly option: string;
  readonly refuse: Refuse;
}

/** The document's own options for every command, and all that every command has. */
function readGlobals(cli: Cli, { record, tables, option, refuse }: GlobalContext) {
  const names = new SafeNames([...reservedOptions, option]);
  const own = (cli.global_options ?? []).map((value, index) =>
    readParameter(value, {
      fields: [],
      tables,
      names,
      refuse: (pointer, reason) => refuse(`/global_options/${index}${pointer}`, reason),
    }),
  );
  const all: readonly Field[] = [
    ...own,
    { name: "format", type: "enum", values: ["text", "json", "csv", "table"], summary: "How results are shown" },
    { name: "json", type: "boolean", summary: "The same as --format json" },
    ...(record === undefined
      ? []
      : [
          { name: "input", type: "path", summary: "Read records as CSV from a file, or from standard input with -" },
          { name: option, type: "path", summary: "The data file" },
        ]),
    { name: "config", type: "path", summary: "A JSON file with values of these options" },
  ];
  return { own, all };
}

function readExitCodes(codes: Cli["exit_codes"] = {}, hasDefault: boolean): Program["exitCodes"] {
  const { ok = 0, failed = 1, usage = 2, no_command: bare = hasDefault ? undefined : usage } = codes;
  return { ok, failed, usage, ...(bare !== undefined && { bare }) };
}

function defaultCommand(wanted: string | undefined, commands: readonly Command[], refuse: Refuse): string | undefined {
  if (wanted === undefined || commands.some(({ name }) => name === wanted)) return wanted;
  refuse("/default_command", `There is no command '${wanted}'.`);
  return undefined;
}

function completionCommand(name: string, count: number): Command {
  return {
    name,
    file: name,
    order: count + 1,
    summary: "Print a completion script for a shell",
    does: "completion",
    arguments: [shellArgument],
    options: [],
    prints: "",
    columns: [],
    sums: "",
    sort: "id",
    sets: {},
    filters: [],
  };
}
