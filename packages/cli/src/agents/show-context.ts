import type { AgentContext } from "@slipway/contract";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../printable.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";
import { fields } from "./fields.ts";
import { runQuery } from "./run-query.ts";
import { usageText } from "./usage.ts";

const mostFiles = 50;

export async function showContext({ client, terminal, options, signal, agentId }: Context): Promise<ExitCode> {
  const given = await client.call("readAgentContext", {
    params: { agent_id: agentId },
    query: runQuery(options),
    signal,
  });
  if (options.json) terminal.out(toJson(given));
  else terminal.out(sections(given).join("\n\n"));
  return exitCode.ok;
}

function sections(given: AgentContext): string[] {
  const limits = Object.entries(given.limits).filter(([, value]) => value !== null);
  return [
    fields({
      project: given.project_id,
      task: `${given.task_id}, attempt ${given.attempt}`,
      given: given.started_at,
      ended: given.ended_at === null ? "not yet" : `${given.ended_at} (${given.outcome ?? "unknown"})`,
      "last status": given.last_status ?? undefined,
      limits: limits.map(([name, value]) => `${name} ${String(value)}`).join(", ") || "none",
      used: usageText(given.usage),
    }).join("\n"),
    `PROMPT\n${lines(given.prompt)}`,
    `FILES${given.files_total === null ? "" : ` (${given.files_total}, at ${given.base_commit.slice(0, 12)})`}\n${fileLines(given)}`,
  ];
}

function fileLines({ files, files_total }: AgentContext): string {
  if (files === null) return "They cannot be had on this node.";
  const shown = files
    .slice(0, mostFiles)
    .map(({ path, size_bytes }) => `${String(size_bytes).padStart(10)}  ${printable(path)}`);
  const left = (files_total ?? files.length) - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more; --json lists up to 1,000`] : [])].join("\n") || "none";
}

/** Somebody else's text: nothing of it may act on the terminal. */
function lines(text: string): string {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => printable(line, 10_000))
    .join("\n");
}
