import { type Client, listAll } from "@slipway/client";
import type { CommandOption } from "../commands/command-option.ts";
import { type Options, type ServiceContext, withService } from "../connection/with-service.ts";
import { CommandError, type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";

/** What a command about agents is given. */
export interface Context extends ServiceContext {
  /** The agent that it is about. */
  readonly agentId: string;
}

export interface AgentCommand {
  readonly description: string;
  /** Whether it is about one agent. */
  readonly isAboutOne: boolean;
  readonly options?: readonly CommandOption[];
  run(context: Context): Promise<ExitCode>;
}

/** Carries out a command about agents on the service that the options name. */
export async function runAgentCommand(
  terminal: Terminal,
  command: AgentCommand,
  agent: string | undefined,
  options: Options,
): Promise<ExitCode> {
  const named = [agent, options["agentId"]].filter((one) => typeof one === "string");
  if (named.length > 1) throw new UsageError("the agent is named twice: once is enough");
  if (command.isAboutOne && !named[0])
    throw new UsageError("which agent? Give its id or its name, as 'slipway agents list' shows them");
  return withService(terminal, options, async (context) => {
    const agentId = command.isAboutOne ? await findId(context.client, named[0]!, context.signal) : "";
    return command.run({ ...context, agentId });
  });
}

/** People know agents by their names; ids are taken as they are. */
async function findId(client: Client, agent: string, signal: AbortSignal): Promise<string> {
  if (agent.startsWith("agent_")) return agent;
  const all = listAll(
    (query) => client.call("listAgents", { query, signal }),
    (page) => page.agents,
  );
  for await (const { agent_id, name } of all) if (name === agent) return agent_id;
  throw new CommandError(exitCode.notFound, `there is no agent '${printable(agent)}'`);
}
