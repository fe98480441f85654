import type { CompleteSpec } from "@slipway/spec";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Command, Field, Kind, Program, ReadProgram } from "./model.ts";
import { type Invocation, readInvocations } from "./read-invocations.ts";
import { completionCommand, programName, variableName } from "./read-program.ts";
import { parseWords, unmetOfInferred } from "./unmet-inferred.ts";

const verbs: readonly (readonly [RegExp, Kind])[] = [
  [/^(?:add|create|new|insert|save)$/, "create"],
  [/^(?:list|ls|all)$/, "list"],
  [/^(?:show|get|view)$/, "get"],
  [/^(?:done|complete|finish|check)$/, "update"],
  [/^(?:remove|rm|delete|del)$/, "delete"],
  [/^count$/, "count"],
  [/^completions?$/, "completion"],
];

/** Infers a program from the lines that run it: its name, commands and options, and what they print. */
export function inferProgram(document: CompleteSpec): ReadProgram {
  const runs = readInvocations(document);
  const name = programName(mostCommon(runs.map(({ file, program }) => nameIn(file ?? program))) ?? document.id);
  const own = runs.filter(({ file, program }) => programName(nameIn(file ?? program)) === name);
  const named = own.filter(({ words }) => words.length > 0 && isCommandWord(words[0]!));
  const groups = [...Map.groupBy(named, ({ words }) => words[0]!)].filter(([word, lines]) => isCommand(word, lines));
  const creating = groups.find(([word]) => kindOf(word) === "create");
  const record = creating && { name: "item", fields: fieldsFrom(creating[1]) };
  const names = new SafeNames(["help"]);
  const commands = groups.map(([word, lines], index) => commandFrom(names.take(word), lines, { index, record }));
  const unnamed = own.filter(
    ({ words }) => words.length > 0 && !words[0]!.startsWith("-") && !isCommandWord(words[0]!),
  );
  const runsUnnamed = unnamed.length > 0 && unnamed.some(({ check }) => check.exitCode === 0);
  if (runsUnnamed) commands.push(printing(names.take("run"), withBlank(unnamed), commands.length));
  const completion = commands.some(({ does }) => does === "completion")
    ? []
    : [completionCommand(names.take("completion"), commands.length)];
  const program: Program = {
    name,
    version: statedVersion(own) ?? "1.0.0",
    description: document.description,
    exitCodes: exitCodesFrom(own, groups),
    dataFile: { fallback: `./${name}.json`, variable: `${variableName(name)}_FILE`, option: "file" },
    configVariable: `${variableName(name)}_CONFIG`,
    ...(record !== undefined && { record }),
    globalOptions: globalsFrom(own, record !== undefined),
    commands: [...commands, ...completion],
    ...(runsUnnamed && { defaultCommand: commands.at(-1)!.name }),
  };
  return {
    program,
    unmet: unmetOfInferred(commands, [...named, ...(runsUnnamed ? withBlank(unnamed) : [])]),
  };
}

function nameIn(program: string): string {
  const last = program
    .replace(/\/__main__\.py$/, "")
    .split(/[\s/]/)
    .at(-1)!;
  return last.replace(/\.(?:m?js|py)$/, "");
}

function mostCommon(names: readonly string[]): string | undefined {
  const counts = [...Map.groupBy(names, (name) => name)].toSorted((a, b) => b[1].length - a[1].length);
  return counts[0]?.[0];
}

function isCommandWord(word: string): boolean {
  return /^[a-z][a-z\d:-]*$/.test(word) && word !== "help";
}

/** A word that every line expects to fail is not a command. */
function isCommand(word: string, lines: readonly Invocation[]): boolean {
  return kindOf(word) !== "print" || lines.some(({ check }) => check.exitCode === 0);
}

function kindOf(word: string): Kind {
  return verbs.find(([pattern]) => pattern.test(word))?.[1] ?? "print";
}

function commandFrom(
  name: string,
  lines: readonly Invocation[],
  { index, record }: { readonly index: number; readonly record: Program["record"] },
): Command {
  const does = kindOf(lines[0]!.words[0]!);
  if (does === "print" || (record === undefined && does !== "completion")) return printing(name, lines, index);
  const base = { ...completionCommand(name, index), does, summary: `${name[0]!.toUpperCase()}${name.slice(1)}` };
  const fields = record?.fields ?? [];
  const options = fields.filter((field) => field.optional || field.default !== undefined);
  const columns = ["id", ...fields.map((field) => field.name)];
  const id = [{ name: "id", type: "integer" }];
  switch (does) {
    case "create": {
      const given = fields.filter((field) => field.required);
      return { ...base, arguments: given, options, prints: templateOf(lines[0]!, given) ?? "Added {id}" };
    }
    case "list":
    case "count":
      return { ...base, arguments: [], options: fields, columns };
    case "update":
      return { ...base, arguments: id, options: [], columns, sets: { done: true }, prints: "Done {id}" };
    case "get":
      return { ...base, arguments: id, columns };
    case "delete":
      return { ...base, arguments: id, prints: "Removed {id}" };
    default:
      return base;
  }
}

/** The fields of a record, from the arguments of the lines that create one; `done` is added for updates. */
function fieldsFrom(lines: readonly Invocation[]): readonly Field[] {
  const good = lines.filter(({ check }) => check.exitCode === 0);
  const [first] = good.map(parseWords);
  const names = ["text", "value", "kind", "note"];
  const fields = (first?.positional ?? [""]).slice(0, 4).map((_, place): Field => {
    const texts = good.map((line) => parseWords(line).positional[place] ?? "");
    const isNumber = texts.every((text) => /^-?\d+(?:\.\d+)?$/.test(text));
    return { name: names[place]!, type: isNumber ? "number" : "string", required: true };
  });
  const options = new Set(good.flatMap((line) => [...parseWords(line).options.keys()]));
  const taken = new SafeNames([...names, "id", "done", "json", "input", "config", "file", "help", "version"]);
  const own = [...options].filter((name) => !["json", "input", "file", "config"].includes(name));
  return [
    ...(fields.length === 0 ? [{ name: "text", type: "string", required: true }] : fields),
    ...own.map((name): Field => ({ name: taken.take(name), type: "string", optional: true })),
    { name: "done", type: "boolean", default: false },
  ];
}

/** A command of which only the output is known: it prints that, with its own arguments in place of the sample ones. */
function printing(name: string, lines: readonly Invocation[], index: number): Command {
  const line = lines.find(({ check }) => check.exitCode === 0) ?? lines[0]!;
  const { positional, options } = parseWords(line);
  const minCount = Math.min(
    ...lines.filter(({ check }) => check.exitCode === 0).map((each) => parseWords(each).positional.length),
  );
  const given = positional.map(
    (_, place): Field => ({
      name: `value${place + 1}`,
      type: "string",
      ...(place >= minCount && { optional: true }),
    }),
  );
  const names = new SafeNames(["help", "json", "config", "version"]);
  const flags = [...options].map(
    ([option, value]): Field => ({
      name: names.take(option),
      type: value === undefined ? "boolean" : "string",
    }),
  );
  return {
    ...completionCommand(name, index),
    does: "print",
    summary: `${name[0]!.toUpperCase()}${name.slice(1)}`,
    arguments: given,
    options: flags.filter((flag) => flag.name !== "json"),
    prints: templateOf(line, given) ?? "",
  };
}

function withBlank(lines: readonly Invocation[]): readonly Invocation[] {
  return lines.map((line) => ({ ...line, words: ["run", ...line.words] }));
}

/** The expected output with placeholders for the values that it repeats; longest values first. */
function templateOf(line: Invocation, given: readonly Field[]): string | undefined {
  const { positional } = parseWords(line);
  if (line.check.stdoutContains.length === 0) return undefined;
  const pairs = given.map(({ name }, place) => [positional[place] ?? "", `{${name}}`] as const);
  const longestFirst = pairs.filter(([text]) => text !== "").toSorted((a, b) => b[0].length - a[0].length);
  return longestFirst.reduce(
    (text, [value, name]) => text.replaceAll(value, () => name),
    line.check.stdoutContains.join("\n"),
  );
}

function globalsFrom(runs: readonly Invocation[], hasRecord: boolean): readonly Field[] {
  const readsInput = hasRecord && runs.some(({ words }) => words.some((word) => /^--input(?:=|$)/.test(word)));
  const input = {
    name: "input",
    type: "path",
    summary: "Read records as CSV from a file, or from standard input with -",
  };
  return [
    { name: "json", type: "boolean", summary: "Print JSON instead of text" },
    ...(readsInput ? [input] : []),
    ...(hasRecord ? [{ name: "file", type: "path", summary: "The data file" }] : []),
    { name: "config", type: "path", summary: "A JSON file with values of these options" },
  ];
}

function statedVersion(runs: readonly Invocation[]): string | undefined {
  const line = runs.find(({ words }) => words[0] === "--version");
  return line?.check.stdoutContains.join(" ").match(/\d+\.\d+\.\d+\S*/)?.[0];
}

function exitCodesFrom(runs: readonly Invocation[], groups: readonly (readonly [string, readonly Invocation[]])[]) {
  const known = new Set(groups.map(([word]) => word));
  const refused = runs.filter(({ words, check }) => check.exitCode !== 0 && words.length > 0);
  const isAboutNumber = ({ words }: Invocation) => known.has(words[0]!) && /^\d+$/.test(words[1] ?? "");
  const failed = refused.find(isAboutNumber)?.check.exitCode ?? 1;
  const usage = refused.find((run) => !isAboutNumber(run))?.check.exitCode ?? 2;
  const bare = runs.find(({ words }) => words.length === 0)?.check.exitCode ?? usage;
  return { ok: 0, failed, usage, bare };
}
