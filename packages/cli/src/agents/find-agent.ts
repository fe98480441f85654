import { listAll } from "@slipway/client";
import { type Options, queryOf, type ServiceContext } from "../command.ts";
import { CommandError, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";

/** The id of the agent that the first argument names by its id or its display name. */
export async function findAgent({ client, args: [agent = ""], signal }: ServiceContext): Promise<string> {
  if (agent.startsWith("agent_")) return agent;
  const agents = listAll(
    (query) => client.call("listAgents", { query, signal }),
    (page) => page.agents,
  );
  for await (const { agent_id, name } of agents) if (name === agent) return agent_id;
  throw new CommandError(exitCode.notFound, `there is no agent '${printable(agent)}'`);
}

/** Selects one of the agent's attempts; by default its latest. */
export function attemptQuery(options: Options): { project?: string; task?: string } {
  return queryOf(options, { project: "projectId", task: "taskId" });
}
