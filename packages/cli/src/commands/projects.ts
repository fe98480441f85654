import { Command } from "commander";
import type { Options } from "../connection/with-service.ts";
import { projectCommands } from "../projects/commands.ts";
import type { ProjectCommand } from "../projects/context.ts";
import type { MakeCommand } from "./command.ts";
import { addOptions } from "./command-option.ts";
import { connectionOptions } from "./connection-options.ts";

export const projectsCommand: MakeCommand = (terminal, end) => {
  const group = new Command("projects").description("Look at projects and take a hand in them.").addHelpText(
    "after",
    `
Exit codes: 0 done, 1 failed, 2 the call is wrong, 3 refused by the service, 4 there is no such project, 5 no connection,
124 timed out, 130 interrupted.`,
  );
  for (const [name, described] of Object.entries(projectCommands)) {
    const command = connectionOptions(makeCommand(name, described));
    command.option("--json", "for machines, as the API answers").action(async (...args: unknown[]) => {
      const { runProjectCommand } = await import("../projects/context.ts");
      const id = described.isAboutOne ? (args[0] as string | undefined) : undefined;
      end(await runProjectCommand(terminal, described, id, command.opts<Options>()));
    });
    group.addCommand(command);
  }
  return group;
};

function makeCommand(name: string, { description, isAboutOne, options = [] }: ProjectCommand): Command {
  const command = new Command(name).description(description);
  if (isAboutOne) command.argument("[project-id]", "the project").option("--project-id <id>", "the same");
  return addOptions(command, options);
}
