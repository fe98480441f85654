import { type Command as CommanderCommand, Option as CommanderOption } from "commander";
import {
  type Argument,
  type Command,
  type CommandGroup,
  connectionOptions,
  type LocalCommand,
  type Option,
  type Options,
  serviceExitCodes,
} from "./command.ts";
import { examplesOf } from "./examples.ts";
import { type ExitCode, UsageError } from "./exit-code.ts";
import type { Terminal } from "./output/terminal.ts";
import { toYaml } from "./output/yaml.ts";

interface Deps {
  readonly terminal: Terminal;
  /** Receives the exit code of the command that ran. */
  readonly end: (code: ExitCode) => void;
}

/** Adds a declared command, or a group of them, to its parent. */
export function addCommand(deps: Deps, parent: CommanderCommand, declared: Command | CommandGroup): void {
  addNamed(deps, parent, declared, declared.name, false);
  const aliases = "commands" in declared ? [] : (declared.aliases ?? []);
  for (const alias of aliases) addNamed(deps, parent, declared, alias, true);
}

function addNamed(
  deps: Deps,
  parent: CommanderCommand,
  declared: Command | CommandGroup,
  name: string,
  isHidden: boolean,
): void {
  const command = parent.command(name, { hidden: isHidden }).description(declared.description);
  // Written when it is asked for: most commands never are.
  command.addHelpText("after", () => helpText(declared, pathOf(parent)).replace(/^(?=.)/, "\n"));
  if ("commands" in declared) for (const below of declared.commands) addCommand(deps, command, below);
  else if ("isPassThrough" in declared) addPassThrough(deps, command, declared);
  else addAction(deps, command, declared);
}

function addAction({ terminal, end }: Deps, command: CommanderCommand, declared: Command): void {
  const { arguments: args = [], options = [], json = "print JSON", needs } = declared;
  for (const { name, description, flag } of args) {
    command.argument(name, description);
    if (flag !== undefined) command.option(flag, "the same as the argument");
  }
  for (const option of [...options, ...(needs === undefined ? [] : connectionOptions)]) addOption(command, option);
  command.option("--json", json);
  // Three commands write files, and have an --output of their own.
  const hasOutput = options.some(({ flags }) => flags.includes("--output"));
  if (!hasOutput) addOption(command, outputOption);
  command.option("--no-input", "ask nothing, as if nobody were there");
  command.action(async () => {
    const given = command.opts<Options>();
    const output = hasOutput ? undefined : given["output"];
    const isJson = given.json === true || output === "json" || output === "yaml";
    const talker = (given["input"] as unknown) === false ? withoutAsking(terminal) : terminal;
    const context = {
      terminal: output === "yaml" ? asYaml(talker) : talker,
      args: valuesOf(args, command),
      options: { ...given, ...(isJson && { json: true as const }) },
    };
    if (declared.needs === undefined) return end(await declared.run(context));
    declared.check?.(context);
    const { runOnService } = await import("./connection/run-on-service.ts");
    end(await runOnService(context, declared));
  });
}

const outputOption: Option = {
  flags: "--output <format>",
  description: "text, json or yaml; both print what --json prints",
  choices: ["text", "json", "yaml"],
};

function withoutAsking({ ask: _, askHidden: __, converse: ___, ...terminal }: Terminal): Terminal {
  return terminal;
}

/** What is printed as JSON, printed as YAML: a document for each line of a stream. */
function asYaml(terminal: Terminal): Terminal {
  let documents = 0;
  return {
    ...terminal,
    out: (text) => {
      const prefix = documents++ === 0 ? "" : "---\n";
      terminal.out(prefix + toYaml(JSON.parse(text)));
    },
  };
}

function addPassThrough({ terminal, end }: Deps, command: CommanderCommand, declared: LocalCommand): void {
  command
    .argument("[args...]", "see --help")
    .allowUnknownOption()
    .helpOption(false)
    .action(async () => end(await declared.run({ terminal, args: command.args, options: {} })));
}

function addOption(command: CommanderCommand, { flags, description, isRequired, isRepeatable, choices }: Option): void {
  const option = new CommanderOption(flags, description).makeOptionMandatory(isRequired ?? false);
  if (choices !== undefined) option.choices(choices);
  // One value for each flag, not a list after it: a list would swallow the arguments that follow.
  if (isRepeatable) option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
  command.addOption(option);
}

/** The value of each argument, whether it was given as such or by its flag. */
function valuesOf(args: readonly Argument[], command: CommanderCommand): (string | undefined)[] {
  return args.flatMap(({ name, flag, missing }, index) => {
    const argument = command.processedArgs[index] as string | string[] | undefined;
    const byFlag = flag === undefined ? undefined : command.opts<Options>()[new CommanderOption(flag).attributeName()];
    if (argument !== undefined && byFlag !== undefined) throw new UsageError(`give ${name} or ${flag}, not both`);
    const value = (argument ?? byFlag) as string | string[] | undefined;
    if (!value && missing !== undefined) throw new UsageError(missing);
    return value;
  });
}

/** `slipway projects` for what is below it. */
function pathOf(command: CommanderCommand): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function helpText(declared: Command | CommandGroup, prefix: string): string {
  const { notes, exitCodes } = declared;
  const examples = "commands" in declared ? declared.examples : examplesOf(prefix, declared);
  const isOnService = "commands" in declared ? declared.commands.some((below) => below.needs) : declared.needs;
  const codes = { 0: "success", 2: "wrong usage", ...(isOnService && serviceExitCodes), ...exitCodes };
  const codeLines = Object.entries(codes).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`);
  return [
    ...(notes === undefined ? [] : [notes]),
    ...(exitCodes === undefined ? [] : [`Exit codes:\n${codeLines.join("\n")}`]),
    ...(examples === undefined ? [] : [`Examples:\n${examples.map((example) => `  ${example}`).join("\n")}`]),
  ].join("\n\n");
}
