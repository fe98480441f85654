import type { CallOptions } from "@slipway/client";
import type { Delivery } from "@slipway/contract";
import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { table } from "../projects/table.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";
import { sequenceRange } from "./sequence-range.ts";

type Query = NonNullable<CallOptions<"listDeliveries">["query"]>;

export async function listDeliveries(context: Context): Promise<ExitCode> {
  const { client, terminal, options, signal, connection, argument } = context;
  const asked = {
    status: textOf(options, "status"),
    event: textOf(options, "event"),
    project_id: textOf(options, "project"),
    ...sequenceRange(options),
    limit: textOf(options, "limit"),
    cursor: textOf(options, "cursor"),
  };
  // What may be asked for, the service knows; it refuses the rest.
  const query = asked as unknown as Query;
  const page = await client.call("listDeliveries", { params: { webhook_id: argument }, query, signal });
  if (options.json) {
    terminal.out(toJson(page));
    return exitCode.ok;
  }
  const headings = ["ID", "EVENT", "PROJECT", "SEQUENCE", "STATUS", "TRIES", "LAST ANSWER", "CREATED"];
  if (page.deliveries.length === 0) terminal.err("There are no deliveries.");
  else terminal.out(table(headings, page.deliveries.map(rowOf), terminal.colors).join("\n"));
  if (page.next_cursor !== null)
    terminal.err(
      `There are more: ${connection.commandLine("webhooks", "deliveries", argument, "--cursor", page.next_cursor)}`,
    );
  return exitCode.ok;
}

function rowOf(delivery: Delivery): string[] {
  const { delivery_id, event, project_id, sequence, status, attempt_count, created_at, attempts } = delivery;
  const last = attempts.at(-1);
  const answer = last?.response?.status.toString() ?? last?.error ?? "";
  const row = [delivery_id, event, project_id, sequence === null ? "" : String(sequence), status];
  return [...row, String(attempt_count), answer, created_at];
}
