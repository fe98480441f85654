import type { CallOptions } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";

type Query = NonNullable<CallOptions<"listAgents">["query"]>;

export async function listAgents(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const query = { limit: textOf(options, "limit"), cursor: textOf(options, "cursor") };
  // Unchecked: the service knows which values are valid, and refuses the others.
  const page = await client.call("listAgents", { query: query as unknown as Query, signal });
  printPage(context, page, {
    plural: "agents",
    command: ["agents", "list"],
    headings: ["ID", "NAME", "KIND", "STATUS", "SLOTS", "TASK", "CAPABILITIES"],
    rows: page.agents.map(({ agent_id, name, kind, status, slots, current_task, capabilities }) => [
      agent_id,
      name,
      kind,
      status,
      String(slots),
      current_task ?? "",
      capabilities.join(", "),
    ]),
  });
  return exitCode.ok;
}
