import { exampleEvents, WebhookBody, webhookEventNames } from "@slipway/contract";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { table } from "../projects/table.ts";
import { toJson } from "../projects/to-json.ts";
import type { LocalContext } from "./context.ts";

/** The catalogue: what webhooks can be sent, and what it means. */
export async function listEvents({ terminal, options }: LocalContext): Promise<ExitCode> {
  const events = webhookEventNames.map((event) => {
    const schema = WebhookBody(event);
    const { description } = schema as unknown as { description: string };
    return { event, description, schema, example: { event, ...exampleEvents[event] } };
  });
  if (options.json) terminal.out(toJson({ events }));
  else {
    const rows = events.map(({ event, description }) => [event, description]);
    terminal.out(table(["EVENT", "MEANING"], rows, terminal.colors).join("\n"));
  }
  return exitCode.ok;
}
