import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { code, languageOf } from "../../kit/common-files.ts";
import type { FileSet } from "../../kit/file-set.ts";
import { unmetWork } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { markdown } from "../../kit/quote.ts";
import { fieldsOf } from "../../kit/read-value.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { runsUnknownTool } from "../../kit/unknown-tool.ts";
import type { BuildTask, OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode, isTaken } from "./generate-node.ts";
import { generatePython } from "./generate-python.ts";
import type { GeneratedProgram } from "./generated-program.ts";
import { inferProgram } from "./infer-program.ts";
import type { Command, Program } from "./model.ts";
import { type Invocation, readInvocation, readInvocations } from "./read-invocations.ts";
import { readProgram } from "./read-program.ts";
import { unmetRuns } from "./unmet-runs.ts";

/** A command-line program: from the document's `cli` block, or from the lines of acceptance that run it. */
export const cli: OutcomeType = outcomeTypeFromLines("cli", ["javascript", "python"], design);

function design(document: CompleteSpec): Design {
  const block = fieldsOf((document as Readonly<Record<string, unknown>>)["cli"]);
  const read = Object.keys(block).length > 0 ? readProgram(document, block) : inferProgram(document);
  const { program } = read;
  const language = languageOf(document);
  const isPython = language === "python";
  const generated = isPython ? generatePython(document, program) : generateNode(document, program);
  const unmet = [
    ...read.unmet,
    ...generated.unmet,
    ...unmetLines(document, program),
    ...unmetRuns(document, program).filter(({ pointer }) => !read.unmet.some((other) => other.pointer === pointer)),
    ...unmetWork(document),
    ...unknownStack(document, isPython ? { ...known, ...pythonStack } : known, isPython ? "Python" : "JavaScript"),
  ];
  const pointers = new Set(unmet.map(({ pointer }) => pointer));
  return {
    scripts: generated.scripts,
    unmet,
    chapters: [usage(program)],
    language,
    files: (task) => taskFiles(document, program, generated, task, pointers),
  };
}

/** The program without its commands, the commands that the task's lines run, and those that no line runs. */
function taskFiles(
  document: CompleteSpec,
  program: Program,
  generated: GeneratedProgram,
  task: BuildTask,
  unmet: ReadonlySet<string>,
): FileSet {
  const files = generated.foundation(unmet);
  const wanted = commandsOf(task, program);
  const claimed = new Set(readInvocations(document).flatMap(({ words }) => commandIn(words, program) ?? []));
  for (const command of program.commands) {
    const isFree = !claimed.has(command.name) || command.does === "completion";
    if (isFree || wanted.has(command.name)) files.addAll(generated.command(command));
  }
  return files;
}

function commandsOf({ lines }: BuildTask, program: Program): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => commandIn(readInvocation(line)?.words ?? [], program) ?? []));
}

function commandIn(words: readonly string[], { commands, defaultCommand }: Program): string | undefined {
  return words.find((word) => commands.some(({ name }) => name === word)) ?? defaultCommand;
}

const known = { storage: /^(?:files?|json|json file)$/i, modules: /^esm?$/i };
const pythonStack = { language: /^python[\d.]*$/i, runtime: /^c?python[\d.]*$/i, backend: /^python[\d.]*$/i };

/** The acceptance lines that this program cannot meet. */
function unmetLines(document: CompleteSpec, program: Program): readonly Unmet[] {
  const runs = new Map(readInvocations(document).map((run) => [run.pointer, run]));
  return acceptanceLines(document).flatMap(({ pointer, check }): Unmet[] => {
    const run = runs.get(pointer);
    switch (check.kind) {
      case "command":
        return commandProblem(run, check.command, program).map((reason) => ({ pointer, reason }));
      case "tests":
        return [];
      case "named":
      case "performance":
        return [{ pointer, reason: "Nobody here measures this." }];
      default:
        return [{ pointer, reason: "A command-line program answers no requests." }];
    }
  });
}

function commandProblem(run: Invocation | undefined, command: string, { name }: Program): readonly string[] {
  if (run === undefined) return runsUnknownTool(command) ? ["Nothing was built for this command."] : [];
  if (run.file !== undefined)
    return isTaken(run.file) ? [`${run.file} is a part of the program, and does not start it.`] : [];
  return run.program === name
    ? [`'${name}' is found only where the folder bin is on the PATH.`]
    : [`'${run.program}' is not the program that is built.`];
}

function usage(program: Program): string {
  const row = ({ name, summary }: Command) => `| ${code(`${program.name} ${name}`)} | ${markdown(summary)} |`;
  return [
    "## Use",
    "",
    `Run ${code(`./bin/${program.name} --help`)}, or ${code(`${program.name} <command> --help`)} for one command.`,
    "",
    "| command | does |",
    "|---|---|",
    ...program.commands.map(row),
    "",
    `Values of options can stand in a JSON file that ${code("--config")} or ${code(program.configVariable)} names.`,
    ...(program.record === undefined
      ? []
      : [
          `Data is kept in ${code(program.dataFile.fallback)}; ${code(`--${program.dataFile.option}`)} or ${code(program.dataFile.variable)} names another file.`,
        ]),
  ].join("\n");
}
