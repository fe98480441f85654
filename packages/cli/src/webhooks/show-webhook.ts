import type { Webhook } from "@slipway/contract";
import { fields } from "../agents/fields.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../printable.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";

export async function showWebhook(context: Context): Promise<ExitCode> {
  const { client, argument, signal } = context;
  tellWebhook(context, await client.call("readWebhook", { params: { webhook_id: argument }, signal }));
  return exitCode.ok;
}

/** A webhook as it is now, for people or for machines. */
export function tellWebhook({ terminal, options }: Pick<Context, "terminal" | "options">, webhook: Webhook): void {
  terminal.out(options.json ? toJson(webhook) : describe(webhook, terminal.colors).join("\n"));
}

function describe(webhook: Webhook, colors: Context["terminal"]["colors"]): string[] {
  const { webhook_id, url, events, project_id, ordering, description, pending } = webhook;
  return [
    `${colors.bold(printable(url, 2000))}  ${webhook_id}`,
    statusOf(webhook),
    "",
    ...fields({
      "what for": description || undefined,
      events: events.join(", "),
      "of project": project_id ?? "all that its owner may read",
      order: ordering === "project" ? "kept for each project" : "as they arrive",
      waiting: `${pending} ${pending === 1 ? "delivery" : "deliveries"}`,
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
      return `parked${parked_until === null ? "" : ` until ${parked_until}`}${failing}; nothing is lost`;
    case "disabled":
      return `disabled${disabled_reason === null ? "" : `: ${printable(disabled_reason, 500)}`}${failing}`;
  }
}
