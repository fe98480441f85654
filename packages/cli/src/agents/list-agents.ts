import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";

export async function listAgents(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const page = await client.call("listAgents", { query: queryOf(options, pageNames), signal });
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
