import type { Webhook } from "@slipway/contract";
import type { Context, ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { count } from "../output/quantities.ts";
import { fields } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";

export async function showWebhook(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const [webhook_id = ""] = context.args;
  printWebhook(context, await client.call("readWebhook", { params: { webhook_id }, signal }));
  return exitCode.ok;
}

export function printWebhook(context: Context, webhook: Webhook): void {
  print(context, webhook, () => describe(webhook, context.terminal.colors).join("\n"));
}

function describe(webhook: Webhook, colors: Terminal["colors"]): string[] {
  const { webhook_id, url, events, project_id, ordering, description, pending } = webhook;
  return [
    `${colors.bold(printable(url, 2000))}  ${webhook_id}`,
    statusOf(webhook),
    "",
    ...fields({
      description: description || undefined,
      events: events.join(", "),
      project: project_id ?? "all that the owner can read",
      ordering: ordering === "project" ? "by project" : "none",
      waiting: count(pending, "delivery", "deliveries"),
      "old secret until": webhook.old_secret_until ?? undefined,
      owner: webhook.owner_id,
      created: webhook.created_at,
      changed: webhook.updated_at,
    }),
  ];
}

function statusOf({ status, parked_until, disabled_reason, failing_since }: Webhook): string {
  const failing = failing_since === null ? "" : `, failing since ${failing_since}`;
  switch (status) {
    case "active":
      return `active${failing}`;
    case "parked":
      return `parked${parked_until === null ? "" : ` until ${parked_until}`}${failing}; no event is lost`;
    case "disabled":
      return `disabled${disabled_reason === null ? "" : `: ${printable(disabled_reason, 500)}`}${failing}`;
  }
}
