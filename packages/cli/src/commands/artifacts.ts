import { Command } from "commander";
import { artifactCommands } from "../artifacts/commands.ts";
import type { ArtifactCommand } from "../artifacts/context.ts";
import type { Options } from "../connection/with-service.ts";
import type { MakeCommand } from "./command.ts";
import { addOptions } from "./command-option.ts";
import { connectionOptions } from "./connection-options.ts";

export const artifactsCommand: MakeCommand = (terminal, end) => {
  const group = new Command("artifacts")
    .description("List, download, upload and verify what projects produce.")
    .addHelpText(
      "after",
      `
Exit codes: 0 done, 1 damaged or incomplete, 2 the call is wrong, 3 refused by the service, 4 there is no such project or
artifact, 5 no connection, 130 interrupted.`,
    );
  for (const [name, described] of Object.entries(artifactCommands)) {
    const command = connectionOptions(makeCommand(name, described));
    command.option("--json", "for machines").action(async (...args: unknown[]) => {
      const { runArtifactCommand } = await import("../artifacts/context.ts");
      const names = args.slice(0, described.names.length) as (string | undefined)[];
      end(await runArtifactCommand(terminal, described, names, command.opts<Options>()));
    });
    group.addCommand(command);
  }
  return group;
};

function makeCommand(name: string, { description, names, options = [] }: ArtifactCommand): Command {
  const command = new Command(name).description(description);
  for (const [argument, about] of names) command.argument(argument, about);
  return addOptions(command, options);
}
