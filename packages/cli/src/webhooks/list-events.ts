import { exampleEvents, WebhookBody, webhookEventNames } from "@slipway/contract";
import type { Context } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printList } from "../output/print.ts";

/** Lists the events a webhook can receive, with their meaning. */
export async function listEvents(context: Context): Promise<ExitCode> {
  const events = webhookEventNames.map((event) => {
    const schema = WebhookBody(event);
    const { description } = schema as unknown as { description: string };
    return { event, description, schema, example: { event, ...exampleEvents[event] } };
  });
  printList(
    context,
    { events },
    {
      plural: "events",
      headings: ["EVENT", "MEANING"],
      rows: events.map(({ event, description }) => [event, description]),
    },
  );
  return exitCode.ok;
}
