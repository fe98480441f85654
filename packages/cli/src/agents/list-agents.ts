import type { CallOptions } from "@slipway/client";
import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { table } from "../projects/table.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";

type Query = NonNullable<CallOptions<"listAgents">["query"]>;

export async function listAgents({ client, terminal, options, signal, connection }: Context): Promise<ExitCode> {
  const asked = { limit: textOf(options, "limit"), cursor: textOf(options, "cursor") };
  // What may be asked for, the service knows; it refuses the rest.
  const page = await client.call("listAgents", { query: asked as unknown as Query, signal });
  if (options.json) {
    terminal.out(toJson(page));
    return exitCode.ok;
  }
  const rows = page.agents.map(({ agent_id, name, kind, status, slots, current_task, capabilities }) => [
    agent_id,
    name,
    kind,
    status,
    String(slots),
    current_task ?? "",
    capabilities.join(", "),
  ]);
  const headings = ["ID", "NAME", "KIND", "STATUS", "SLOTS", "TASK", "CAPABILITIES"];
  if (rows.length === 0) terminal.err("There are no agents.");
  else terminal.out(table(headings, rows, terminal.colors).join("\n"));
  if (page.next_cursor !== null)
    terminal.err(`There are more: ${connection.commandLine("agents", "list", "--cursor", page.next_cursor)}`);
  return exitCode.ok;
}
