import type { Agent } from "@slipway/contract";
import type { ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable, printableLines } from "../output/printable.ts";
import { fields } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";
import { findAgent } from "./find-agent.ts";
import { usageText } from "./usage.ts";

export async function describeAgent(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, signal } = context;
  const agent = await client.call("readAgent", { params: { agent_id: await findAgent(context) }, signal });
  print(context, agent, () => describe(agent, terminal.colors).join("\n"));
  return exitCode.ok;
}

function describe(agent: Agent, colors: Terminal["colors"]): string[] {
  const { name, kind, agent_id, status, problem, version, url, capabilities, slots, registered_by } = agent;
  const task = agent.current_task === null ? "" : `, running ${agent.current_task} of ${agent.current_project}`;
  return [
    `${colors.bold(printable(name))}  ${colors.dim(`(${printable(kind)})`)}  ${agent_id}`,
    `${status}${printable(task)}, busy ${Math.round(agent.utilization * 100)} % of the last hour`,
    ...(problem === null ? [] : [colors.red(printableLines(problem))]),
    "",
    ...fields({
      capabilities: capabilities.join(", ") || "none",
      slots: String(slots),
      version: version ?? undefined,
      address: url ?? undefined,
      "registered by": registered_by ?? "a node's config file",
      "last active": agent.last_activity ?? "never",
      "usage in 30 days": usageText(agent.usage),
    }),
  ];
}
