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
import { type ExitCode, UsageError } from "./exit-code.ts";
import type { Terminal } from "./output/terminal.ts";

interface Deps {
  readonly terminal: Terminal;
  /** Receives the exit code of the command that ran. */
  readonly end: (code: ExitCode) => void;
}

/** Adds a declared command, or a group of them, to its parent. */
export function addCommand(deps: Deps, parent: CommanderCommand, declared: Command | CommandGroup): void {
  const command = parent.command(declared.name).description(declared.description);
  const help = helpText(declared);
  if (help !== "") command.addHelpText("after", `\n${help}`);
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
  command.option("--json", json).action(async () => {
    const context = { terminal, args: valuesOf(args, command), options: command.opts<Options>() };
    if (declared.needs === undefined) return end(await declared.run(context));
    declared.check?.(context);
    const { runOnService } = await import("./connection/run-on-service.ts");
    end(await runOnService(context, declared));
  });
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

function helpText(declared: Command | CommandGroup): string {
  const { notes, exitCodes, examples } = declared;
  const isOnService = "commands" in declared ? declared.commands.some((below) => below.needs) : declared.needs;
  const codes = { 0: "success", 2: "wrong usage", ...(isOnService && serviceExitCodes), ...exitCodes };
  const codeLines = Object.entries(codes).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`);
  return [
    ...(notes === undefined ? [] : [notes]),
    ...(exitCodes === undefined ? [] : [`Exit codes:\n${codeLines.join("\n")}`]),
    ...(examples === undefined ? [] : [`Examples:\n${examples.map((example) => `  ${example}`).join("\n")}`]),
  ].join("\n\n");
}
