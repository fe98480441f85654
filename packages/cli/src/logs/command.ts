import type { Command, Context } from "../command.ts";
import { UsageError } from "../exit-code.ts";

export const logsCommand: Command = {
  name: "logs",
  description: "Show the logs of a project's agents and programs; without a project, the service's own log.",
  arguments: [{ name: "[project-id]", description: "the project", flag: "--project-id <id>" }],
  options: [
    { flags: "--service <name>", description: "only this source: agent, build, test …; or this part of the service" },
    { flags: "--task <id>", description: "only lines of this task" },
    { flags: "--agent-id <id>", description: "only lines of this agent" },
    { flags: "--contains <text>", description: "only lines that contain this text" },
    { flags: "--tail <lines>", description: "the maximum number of lines (default: 200)" },
    { flags: "--follow", description: "keep printing new lines" },
  ],
  json: "print each line as a line of JSON",
  needs: "api",
  check: refuseProjectOptions,
  run: async (context) => (await import("./show-logs.ts")).showLogs(context),
};

/** The service's own log has no tasks and agents, and cannot be followed. */
function refuseProjectOptions({ args: [projectId], options }: Context): void {
  const flags = { follow: "--follow", task: "--task", agentId: "--agent-id", contains: "--contains" };
  const given = Object.entries(flags).find(([name]) => options[name] !== undefined);
  if (projectId === undefined && given !== undefined)
    throw new UsageError(`${given[1]} requires a project: name one with --project-id`);
}
