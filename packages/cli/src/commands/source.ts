import { Command } from "commander";
import type { Options } from "../connection/with-service.ts";
import type { MakeCommand } from "./command.ts";
import { connectionOptions } from "./connection-options.ts";

const actions = {
  get: "Write the files that the next run begins from, or those of a project, into a new folder.",
  put: "Keep the files of a folder: the next run begins from them, and merges them with what the document says then.",
} as const;

export const sourceCommand: MakeCommand = (terminal, end) => {
  const group = new Command("source")
    .description("Change the files of an application between two runs of its document.")
    .addHelpText(
      "after",
      `
What you change is merged with what is generated when the document is run again. Where both changed the same lines, the
run fails and says in which files: get that project's files, resolve what is marked, put them, and run the document anew.
'.git' and 'node_modules' stay where they are, and so does what '.gitignore' leaves out.

Exit codes: 0 done, 2 the call is wrong, 3 refused by the service, 4 there is no such application or project, 5 no
connection, 130 interrupted.

Examples:
  slipway source get proj_01kaw3v9t2h5m8q1x7zc shop
  slipway source put proj_01kaw3v9t2h5m8q1x7zc shop
  slipway run shop.yaml --source shop`,
    );
  for (const [name, description] of Object.entries(actions)) {
    const command = connectionOptions(
      new Command(name)
        .description(description)
        .argument("<id>", "the application, or a project of it")
        .argument("<folder>", "where the files are, or are to be")
        .option("--json", "for machines"),
    ).action(async (id: string, folder: string) => {
      const { getSource, putSource } = await import("../source/commands.ts");
      const { withService } = await import("../connection/with-service.ts");
      const carryOut = name === "get" ? getSource : putSource;
      end(await withService(terminal, command.opts<Options>(), (context) => carryOut(context, id, folder)));
    });
    group.addCommand(command);
  }
  return group;
};
