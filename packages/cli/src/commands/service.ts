import { Command } from "commander";
import type { MakeCommand } from "./command.ts";

/** A command that the service's own code carries out, with all of its arguments: it knows them, and explains them. */
function serviceCommand(name: string, description: string): MakeCommand {
  return (_terminal, end) =>
    new Command(name)
      .description(description)
      .argument("[args...]", "see --help")
      .allowUnknownOption()
      .action(async (_args, _options, command: Command) => {
        const { startService } = await import("../start-service.ts");
        end(await startService([name, ...command.args]));
      });
}

export const serveCommand = serviceCommand("serve", "Start the service.");
export const workerCommand = serviceCommand(
  "worker",
  "Work on tasks of a service elsewhere, with an agent of this machine.",
);
export const pluginsCommand = serviceCommand(
  "plugins",
  "add, remove, list: plugins that define further outcome types.",
);
export const configCommand = serviceCommand("config", "Print the settings as they are, and where each comes from.");
export const adminTokenCommand = serviceCommand("admin-token", "rotate: make a new token for the administrator.");
export const doctorCommand = serviceCommand("doctor", "Check whether this machine has all that the service needs.");
