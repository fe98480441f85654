import type { AgentContext } from "@slipway/contract";
import type { ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { fields } from "../output/table.ts";
import { attemptQuery, findAgent } from "./find-agent.ts";
import { usageText } from "./usage.ts";

const maxFiles = 50;

export async function showContext(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const params = { agent_id: await findAgent(context) };
  const received = await client.call("readAgentContext", { params, query: attemptQuery(options), signal });
  print(context, received, () => sections(received).join("\n\n"));
  return exitCode.ok;
}

function sections(received: AgentContext): string[] {
  const limits = Object.entries(received.limits).filter(([, value]) => value !== null);
  return [
    fields({
      project: received.project_id,
      task: `${received.task_id}, attempt ${received.attempt}`,
      started: received.started_at,
      ended: received.ended_at === null ? "not yet" : `${received.ended_at} (${received.outcome ?? "unknown"})`,
      "last status": received.last_status ?? undefined,
      limits: limits.map(([name, value]) => `${name} ${String(value)}`).join(", ") || "none",
      usage: usageText(received.usage),
    }).join("\n"),
    `PROMPT\n${lines(received.prompt)}`,
    `FILES${received.files_total === null ? "" : ` (${received.files_total}, at ${received.base_commit.slice(0, 12)})`}\n${fileLines(received)}`,
  ];
}

function fileLines({ files, files_total }: AgentContext): string {
  if (files === null) return "Not available on this node.";
  const listed = files
    .slice(0, maxFiles)
    .map(({ path, size_bytes }) => `${String(size_bytes).padStart(10)}  ${printable(path)}`);
  const left = (files_total ?? files.length) - listed.length;
  return [...listed, ...(left > 0 ? [`and ${left} more; --json lists up to 1,000`] : [])].join("\n") || "none";
}

/** An agent's text: none of its characters may control the terminal. */
function lines(text: string): string {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => printable(line, 10_000))
    .join("\n");
}
