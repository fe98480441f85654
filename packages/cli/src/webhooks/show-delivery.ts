import type { Delivery, DeliveryAttempt } from "@slipway/contract";
import type { ServiceContext } from "../command.ts";
import { adviseToServe } from "../connection/run-on-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable, printableLines } from "../output/printable.ts";
import { count } from "../output/quantities.ts";
import { fields } from "../output/table.ts";

export async function showDelivery(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const [delivery_id = ""] = context.args;
  printDelivery(context, await client.call("readDelivery", { params: { delivery_id }, signal }));
  return exitCode.ok;
}

/** Exits with an error if the test event was not delivered. */
export async function testWebhook(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const [webhook_id = ""] = context.args;
  const delivery = await client.call("testWebhook", { params: { webhook_id }, signal });
  printDelivery(context, delivery);
  return delivery.status === "delivered" ? exitCode.ok : exitCode.failed;
}

export async function redeliver(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const [delivery_id = ""] = context.args;
  const delivery = await client.call("redeliver", { params: { delivery_id }, signal });
  print(context, delivery, () => `${delivery.delivery_id} is sent again (${delivery.event} to ${delivery.webhook_id})`);
  adviseToServe(context, "send it");
  return exitCode.ok;
}

function printDelivery(context: ServiceContext, delivery: Delivery): void {
  const lines = () => [...describe(delivery), ...delivery.attempts.flatMap(describeAttempt)];
  print(context, delivery, () => lines().join("\n"));
}

function describe(delivery: Delivery): string[] {
  const { delivery_id, event, status, reason, sequence, attempts, attempt_count } = delivery;
  const older = attempt_count - attempts.length;
  return [
    `${event}  ${delivery_id}`,
    reason === null ? status : `${status}: ${printable(reason, 500)}`,
    "",
    ...fields({
      webhook: delivery.webhook_id,
      event: delivery.event_id,
      project: delivery.project_id || undefined,
      sequence: sequence === null ? undefined : String(sequence),
      created: delivery.created_at,
      delivered: delivery.delivered_at ?? undefined,
      "next attempt": delivery.next_attempt_at ?? undefined,
    }),
    ...(older > 0 ? ["", `${count(older, "earlier attempt is", "earlier attempts are")} no longer stored`] : []),
  ];
}

function describeAttempt(attempt: DeliveryAttempt): string[] {
  const { number, at, duration_ms, connect_ms, request, response, fault, error } = attempt;
  const connecting = connect_ms === null ? "" : ` (${connect_ms} ms to connect)`;
  const outcome = response === null ? "no answer" : `answered ${response.status}`;
  return [
    "",
    `ATTEMPT ${number}  ${at}  ${outcome} after ${duration_ms} ms${connecting}`,
    ...(error === null ? [] : [`  ${causes[fault ?? "us"]}: ${printable(error, 500)}`]),
    `  > POST ${printable(request.url, 2000)}`,
    ...headerLines(">", request.headers),
    `  > ${request.body_bytes} bytes, sha256 ${request.body_sha256}`,
    ...(response === null ? [] : [`  < ${response.status}`, ...headerLines("<", response.headers)]),
    ...(response === null || response.body === "" ? [] : [`  < ${printableLines(response.body, "  < ")}`]),
  ];
}

const causes = { receiver: "receiver error", network: "network error", us: "service error" } as const;

function headerLines(mark: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `  ${mark} ${printable(name)}: ${printable(value, 500)}`);
}
