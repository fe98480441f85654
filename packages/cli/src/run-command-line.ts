import { Command, CommanderError, Help } from "commander";
import { addCommand } from "./build-command.ts";
import { commands } from "./commands.ts";
import { errorAsJson } from "./error-json.ts";
import { CommandError, type ExitCode, exitCode, UsageError } from "./exit-code.ts";
import type { Terminal } from "./output/terminal.ts";
import { rootHelp } from "./root-help.ts";
import { version } from "./version.ts";

/** Runs a command line on a terminal; the only place that turns an expected failure into an exit code. */
export async function runCommandLine(terminal: Terminal, args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCode.ok;
  const end = (ended: ExitCode) => {
    code = ended;
  };
  const program = new Command("slipway")
    .description("Takes a specification document for a piece of software and brings it to life.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .showHelpAfterError("(slipway --help lists all commands)")
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      // Programs get it as JSON, below.
      writeErr: (text) => isForPrograms(args) || terminal.err(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, "slipway: ")),
    })
    .configureHelp({ formatHelp: (command, helper) => formatHelp(command, helper) })
    .exitOverride();
  for (const command of namedIn(args, commands)) addCommand({ terminal, end }, program, command);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCode.ok;
      if (isForPrograms(args)) terminal.err(errorAsJson(wrongUsage(error)));
      return exitCode.usage;
    }
    if (!(error instanceof CommandError)) throw error;
    terminal.err(isForPrograms(args) ? errorAsJson(error) : `slipway: ${error.message}`);
    return error.code;
  }
}

/** The command that the first words name, else all of them: making every command of every group takes 15 ms. */
function namedIn(args: readonly string[], all: typeof commands): typeof commands {
  const [first, second = ""] = args;
  const named = all.find(({ name }) => name === first);
  if (named === undefined) return all;
  if (!("commands" in named)) return [named];
  const below = named.commands.filter(({ name, aliases = [] }) => name === second || aliases.includes(second));
  return [below.length > 0 ? { ...named, commands: below } : named];
}

/** What is wrong with the command line, with the suggestion as what to do. */
function wrongUsage({ message }: CommanderError): UsageError {
  const [what = "", ...hints] = message
    .replace(/^error: /, "")
    .trim()
    .split("\n");
  return new UsageError([what, ...hints, "'slipway --help' lists all commands"].join("\n"));
}

function formatHelp(command: Command, helper: Help): string {
  return command.parent === null ? rootHelp() : Help.prototype.formatHelp.call(helper, command, helper);
}

/** Before the options are read: a command line that cannot be read fails, too. */
function isForPrograms(args: readonly string[]): boolean {
  const output = args[args.indexOf("--output") + 1];
  return args.includes("--json") || (args.includes("--output") && (output === "json" || output === "yaml"));
}
