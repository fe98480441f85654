import { Command, CommanderError } from "commander";
import { addCommand } from "./build-command.ts";
import { commands } from "./commands.ts";
import { CommandError, type ExitCode, exitCode } from "./exit-code.ts";
import type { Terminal } from "./output/terminal.ts";
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
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
    .exitOverride();
  for (const command of commands) addCommand({ terminal, end }, program, command);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (!(error instanceof CommandError)) throw error;
    terminal.err(`slipway: ${error.message}`);
    return error.code;
  }
}
