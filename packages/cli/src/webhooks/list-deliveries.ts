import type { Delivery } from "@slipway/contract";
import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";
import { sequenceRange } from "./sequence-range.ts";

export async function listDeliveries(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const [webhookId = ""] = context.args;
  const names = { status: "status", event: "event", project_id: "project", ...pageNames };
  const page = await client.call("listDeliveries", {
    params: { webhook_id: webhookId },
    query: { ...queryOf(options, names), ...sequenceRange(options) },
    signal,
  });
  printPage(context, page, {
    plural: "deliveries",
    command: ["webhooks", "deliveries", webhookId],
    headings: ["ID", "EVENT", "PROJECT", "SEQUENCE", "STATUS", "ATTEMPTS", "LAST RESPONSE", "CREATED"],
    rows: page.deliveries.map(rowOf),
  });
  return exitCode.ok;
}

function rowOf(delivery: Delivery): string[] {
  const { delivery_id, event, project_id, sequence, status, attempt_count, created_at, attempts } = delivery;
  const last = attempts.at(-1);
  const response = last?.response?.status.toString() ?? last?.error ?? "";
  const row = [delivery_id, event, project_id, sequence === null ? "" : String(sequence), status];
  return [...row, String(attempt_count), response, created_at];
}
