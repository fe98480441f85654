import type { CallOptions } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";

type Query = NonNullable<CallOptions<"listWebhooks">["query"]>;

export async function listWebhooks(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const query = { limit: textOf(options, "limit"), cursor: textOf(options, "cursor") };
  // Unchecked: the service knows which values are valid, and refuses the others.
  const page = await client.call("listWebhooks", { query: query as unknown as Query, signal });
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
