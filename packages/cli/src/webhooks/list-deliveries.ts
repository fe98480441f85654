import type { CallOptions } from "@slipway/client";
import type { Delivery } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";
import { sequenceRange } from "./sequence-range.ts";

type Query = NonNullable<CallOptions<"listDeliveries">["query"]>;

export async function listDeliveries(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const [webhookId = ""] = context.args;
  const query = {
    status: textOf(options, "status"),
    event: textOf(options, "event"),
    project_id: textOf(options, "project"),
    ...sequenceRange(options),
    limit: textOf(options, "limit"),
    cursor: textOf(options, "cursor"),
  };
  const page = await client.call("listDeliveries", {
    params: { webhook_id: webhookId },
    // Unchecked: the service knows which values are valid, and refuses the others.
    query: query as unknown as Query,
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
