import { listAll } from "@slipway/client";
import { type Options, queryOf, type ServiceContext } from "../command.ts";
import { CommandError, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";

/** The id of an agent that is named by its id or its display name, by default in the first argument. */
export async function findAgent(
  { client, args, signal }: ServiceContext,
  agent: string = args[0] ?? "",
): Promise<string> {
  if (agent.startsWith("agent_")) return agent;
  const agents = listAll(
    (query) => client.call("listAgents", { query, signal }),
    (page) => page.agents,
  );
  for await (const { agent_id, name } of agents) if (name === agent) return agent_id;
  throw new CommandError(
    exitCode.notFound,
    `there is no agent '${printable(agent)}'; 'slipway agents list' shows them`,
  );
}

/** Selects one of the agent's attempts; by default its latest. */
export function attemptQuery(options: Options): { project?: string; task?: string } {
  return queryOf(options, { project: "projectId", task: "taskId" });
}
