import type { CallOptions } from "@slipway/client";
import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { table } from "../projects/table.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";

type Query = NonNullable<CallOptions<"listWebhooks">["query"]>;

export async function listWebhooks({ client, terminal, options, signal, connection }: Context): Promise<ExitCode> {
  const asked = { limit: textOf(options, "limit"), cursor: textOf(options, "cursor") };
  // What may be asked for, the service knows; it refuses the rest.
  const page = await client.call("listWebhooks", { query: asked as unknown as Query, signal });
  if (options.json) {
    terminal.out(toJson(page));
    return exitCode.ok;
  }
  const rows = page.webhooks.map(({ webhook_id, url, status, pending, events, project_id }) => [
    webhook_id,
    url,
    status,
    String(pending),
    project_id ?? "all",
    events.join(", "),
  ]);
  if (rows.length === 0) terminal.err("There are no webhooks.");
  else terminal.out(table(["ID", "URL", "STATUS", "WAITING", "PROJECT", "EVENTS"], rows, terminal.colors).join("\n"));
  if (page.next_cursor !== null)
    terminal.err(`There are more: ${connection.commandLine("webhooks", "list", "--cursor", page.next_cursor)}`);
  return exitCode.ok;
}
