import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";

export async function listWebhooks(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const page = await client.call("listWebhooks", { query: queryOf(options, pageNames), signal });
  printPage(context, page, {
    plural: "webhooks",
    command: ["webhooks", "list"],
    headings: ["ID", "URL", "STATUS", "WAITING", "PROJECT", "EVENTS"],
    rows: page.webhooks.map(({ webhook_id, url, status, pending, events, project_id }) => [
      webhook_id,
      url,
      status,
      String(pending),
      project_id ?? "all",
      events.join(", "),
    ]),
  });
  return exitCode.ok;
}
