import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { code, commonFiles, languageOf } from "../../kit/common-files.ts";
import { FileSet } from "../../kit/file-set.ts";
import { nodePackage } from "../../kit/node-package.ts";
import { nodeTests } from "../../kit/node-tests.ts";
import { notBuilt, unmetWork } from "../../kit/not-built.ts";
import { markdown } from "../../kit/quote.ts";
import { fieldsOf } from "../../kit/read-value.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { runsUnknownTool } from "../../kit/unknown-tool.ts";
import { writeFiles } from "../../kit/write-files.ts";
import type { BuildTask, OutcomeType, Scripts, Unmet } from "../../plugin.ts";
import { isTaken, programFiles } from "./generate-node.ts";
import { commandModule } from "./generate-node-command.ts";
import { commandTest, programTests } from "./generate-node-tests.ts";
import { pythonCommandFiles, pythonProgram, pythonScripts } from "./generate-python.ts";
import { inferProgram } from "./infer-program.ts";
import type { Command, Program } from "./model.ts";
import { type Invocation, readInvocation, readInvocations } from "./read-invocations.ts";
import { readProgram } from "./read-program.ts";
import { unmetRuns } from "./unmet-runs.ts";

/** A command-line program: from the document's `cli` block, or from the lines of acceptance that run it. */
export const cli: OutcomeType = {
  name: "cli",
  languages: ["javascript", "python"],
  plan(document) {
    const { scripts, unmet } = design(document);
    return { scripts, unmet };
  },
  async build(task, workspace) {
    await writeFiles(workspace, task, taskFiles(workspace.document, task));
  },
};

/** The whole program without its commands, and the commands that the task's lines run; with those that no line runs. */
function taskFiles(document: CompleteSpec, task: BuildTask): FileSet {
  const { program, scripts, unmet, foundation, command: filesOf } = design(document);
  const files = commonFiles(document, scripts, [usage(program), ...notBuilt(unmet)], languageOf(document)).addAll(
    foundation(new Set(unmet.map(({ pointer }) => pointer))),
  );
  const wanted = commandsOf(task, program);
  const claimed = new Set(readInvocations(document).flatMap(({ words }) => commandIn(words, program) ?? []));
  for (const command of program.commands) {
    const isFree = !claimed.has(command.name) || command.does === "completion";
    if (isFree || wanted.has(command.name)) files.addAll(filesOf(command));
  }
  return files;
}

function commandsOf({ lines }: BuildTask, program: Program): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => commandIn(readInvocation(line)?.words ?? [], program) ?? []));
}

function commandIn(words: readonly string[], { commands, defaultCommand }: Program): string | undefined {
  return words.find((word) => commands.some(({ name }) => name === word)) ?? defaultCommand;
}

/** How a program is written in a language. */
interface Writing {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** All but the commands; without tests for the lines that are not met. */
  readonly foundation: (unmet: ReadonlySet<string>) => FileSet;
  readonly command: (command: Command) => FileSet;
}

interface Design extends Writing {
  readonly program: Program;
}

function design(document: CompleteSpec): Design {
  const block = fieldsOf((document as Readonly<Record<string, unknown>>)["cli"]);
  const read = Object.keys(block).length > 0 ? readProgram(document, block) : inferProgram(document);
  const { program } = read;
  const isPython = languageOf(document) === "python";
  const writing = isPython ? inPython(document, program) : inJavaScript(document, program);
  const unmet = [
    ...read.unmet,
    ...writing.unmet,
    ...unmetLines(document, program),
    ...unmetRuns(document, program).filter(({ pointer }) => !read.unmet.some((other) => other.pointer === pointer)),
    ...unmetWork(document),
    ...unknownStack(document, isPython ? { ...known, ...pythonStack } : known, isPython ? "Python" : "JavaScript"),
  ];
  return { ...writing, program, unmet };
}

function inJavaScript(document: CompleteSpec, program: Program): Writing {
  const tests = nodeTests(document, "acceptance");
  const { files, scripts, unmet } = nodePackage(document, {
    commands: { build: "node tools/check.js", test: tests.command },
    version: program.version,
    folders: ["src", "tools", "bin"],
    manifest: { bin: { [program.name]: `./bin/${program.name}` } },
  });
  return {
    scripts,
    unmet: [...unmet, ...tests.unmet],
    foundation: (left) =>
      new FileSet()
        .addAll(files)
        .addAll(programFiles(document, program))
        .addAll(programTests(document, program, left)),
    command: (command) =>
      commandTest(document, command, program).add(`src/commands/${command.file}.js`, commandModule(command, program)),
  };
}

function inPython(document: CompleteSpec, program: Program): Writing {
  return {
    ...pythonScripts(document),
    foundation: (left) => pythonProgram(document, program, left),
    command: (command) => pythonCommandFiles(document, command, program),
  };
}

const known = { storage: /^(?:files?|json|json file)$/i, modules: /^esm?$/i };
const pythonStack = { language: /^python[\d.]*$/i, runtime: /^c?python[\d.]*$/i, backend: /^python[\d.]*$/i };

/** What the acceptance asks for that this program cannot answer. */
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
