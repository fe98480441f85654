import { Command, CommanderError } from "commander";
import { agentsCommand } from "./commands/agents.ts";
import { artifactsCommand } from "./commands/artifacts.ts";
import { logsCommand } from "./commands/logs.ts";
import { planCommand } from "./commands/plan.ts";
import { projectsCommand } from "./commands/projects.ts";
import { runCommand } from "./commands/run.ts";
import { schemaCommand } from "./commands/schema.ts";
import {
  adminTokenCommand,
  configCommand,
  doctorCommand,
  pluginsCommand,
  serveCommand,
  workerCommand,
} from "./commands/service.ts";
import { sourceCommand } from "./commands/source.ts";
import { validateCommand } from "./commands/validate.ts";
import { version, versionCommand } from "./commands/version.ts";
import { webhooksCommand } from "./commands/webhooks.ts";
import { CommandError, type ExitCode, exitCode } from "./exit-code.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** Commands of the service's own code, which explains them, too. */
const ofService = [serveCommand, workerCommand, pluginsCommand, doctorCommand, configCommand, adminTokenCommand];

const commands = [
  serveCommand,
  workerCommand,
  validateCommand,
  planCommand,
  runCommand,
  projectsCommand,
  sourceCommand,
  agentsCommand,
  artifactsCommand,
  webhooksCommand,
  pluginsCommand,
  logsCommand,
  schemaCommand,
  doctorCommand,
  configCommand,
  adminTokenCommand,
  versionCommand,
];

process.exitCode = await run(processTerminal(), process.argv.slice(2));

async function run(terminal: Terminal, args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCode.ok;
  const program = new Command("slipway")
    .description("Takes a specification document for a piece of software and brings it to life.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .showHelpAfterError("(slipway --help shows what there is)")
    .configureOutput({ writeErr: (text) => terminal.err(text.trimEnd()) })
    .exitOverride();
  for (const command of commands) {
    const added = command(terminal, (ended) => {
      code = ended;
    });
    program.addCommand(added.copyInheritedSettings(program));
    if (ofService.includes(command)) added.helpOption(false);
    for (const below of added.commands) below.copyInheritedSettings(program);
  }
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
