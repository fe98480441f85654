import type { Agent } from "@slipway/contract";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printable, printableLines } from "../printable.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";
import { fields } from "./fields.ts";
import { usageText } from "./usage.ts";

export async function describeAgent({ client, terminal, options, signal, agentId }: Context): Promise<ExitCode> {
  const agent = await client.call("readAgent", { params: { agent_id: agentId }, signal });
  if (options.json) terminal.out(toJson(agent));
  else terminal.out(describe(agent, terminal.colors).join("\n"));
  return exitCode.ok;
}

function describe(agent: Agent, colors: Context["terminal"]["colors"]): string[] {
  const { name, kind, agent_id, status, problem, version, url, capabilities, slots, registered_by } = agent;
  const at = agent.current_task === null ? "" : `, at ${agent.current_task} of ${agent.current_project}`;
  return [
    `${colors.bold(printable(name))}  ${colors.dim(`(${printable(kind)})`)}  ${agent_id}`,
    `${status}${printable(at)}, busy ${Math.round(agent.utilization * 100)} % of the last hour`,
    ...(problem === null ? [] : [colors.red(printableLines(problem))]),
    "",
    ...fields({
      "can do": capabilities.join(", ") || "nothing in particular",
      "at a time": `${slots} ${slots === 1 ? "task" : "tasks"}`,
      version: version ?? undefined,
      address: url ?? undefined,
      "registered by": registered_by ?? "a node's config file",
      "last active": agent.last_activity ?? "never",
      "used in 30 days": usageText(agent.usage),
    }),
  ];
}
