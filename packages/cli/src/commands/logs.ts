import { Command } from "commander";
import type { Options } from "../connection/with-service.ts";
import type { MakeCommand } from "./command.ts";
import { addOptions } from "./command-option.ts";
import { connectionOptions } from "./connection-options.ts";

export const logsCommand: MakeCommand = (terminal, end) => {
  const command = new Command("logs")
    .description("Show what a project's agents and programs wrote; without a project, what the service logged.")
    .argument("[project-id]", "the project")
    .option("--project-id <id>", "the same");
  addOptions(command, [
    { flags: "--service <name>", description: "only this source: agent, build, test …; or this part of the service" },
    { flags: "--task <id>", description: "only of this task" },
    { flags: "--agent-id <id>", description: "only of this agent" },
    { flags: "--contains <text>", description: "only lines with this text" },
    { flags: "--tail <lines>", description: "how many lines at most (default: 200)" },
    { flags: "--follow", description: "go on with what is written from now on" },
    { flags: "--json", description: "for machines, one line of the log a line" },
  ]);
  return connectionOptions(command).action(async (id: string | undefined) => {
    const { showLogs } = await import("../logs/show-logs.ts");
    end(await showLogs(terminal, id, command.opts<Options>()));
  });
};
