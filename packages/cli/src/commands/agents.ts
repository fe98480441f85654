import { Command } from "commander";
import { agentCommands } from "../agents/commands.ts";
import type { AgentCommand } from "../agents/context.ts";
import type { Options } from "../connection/with-service.ts";
import type { MakeCommand } from "./command.ts";
import { addOptions } from "./command-option.ts";
import { connectionOptions } from "./connection-options.ts";

export const agentsCommand: MakeCommand = (terminal, end) => {
  const group = new Command("agents")
    .description("Look at agents: what they can, do and see; register them.")
    .addHelpText(
      "after",
      `
Exit codes: 0 done, 2 the call is wrong, 3 refused by the service, 4 there is no such agent, 5 no connection, 130
interrupted.`,
    );
  for (const [name, described] of Object.entries(agentCommands)) {
    const command = connectionOptions(makeCommand(name, described));
    command.option("--json", "for machines, as the API answers").action(async (...args: unknown[]) => {
      const { runAgentCommand } = await import("../agents/context.ts");
      const agent = described.isAboutOne ? (args[0] as string | undefined) : undefined;
      end(await runAgentCommand(terminal, described, agent, command.opts<Options>()));
    });
    group.addCommand(command);
  }
  return group;
};

function makeCommand(name: string, { description, isAboutOne, options = [] }: AgentCommand): Command {
  const command = new Command(name).description(description);
  if (isAboutOne) command.argument("[agent]", "the agent's id or name").option("--agent-id <id>", "the same");
  return addOptions(command, options);
}
