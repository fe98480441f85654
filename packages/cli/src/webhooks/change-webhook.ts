import type { CallOptions } from "@slipway/client";
import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { toJson } from "../projects/to-json.ts";
import { type Context, tellWhoSends } from "./context.ts";
import { eventList } from "./event-list.ts";
import { newSecret } from "./new-secret.ts";
import { readSecret } from "./read-secret.ts";
import { tellWebhook } from "./show-webhook.ts";

type CreateBody = CallOptions<"createWebhook">["body"];
type ChangeBody = CallOptions<"changeWebhook">["body"];

export async function createWebhook(context: Context): Promise<ExitCode> {
  const { client, terminal, options, signal, argument } = context;
  const given = await readSecret(terminal, options);
  const secret = given ?? newSecret();
  // What makes sense, the service knows; it refuses the rest.
  const body = { url: argument, events: eventList(options), secret, ...settingsOf(context) } as CreateBody;
  const webhook = await client.call("createWebhook", { body, signal });
  if (given !== undefined) tellWebhook(context, webhook);
  else if (options.json) terminal.out(toJson({ ...webhook, secret }));
  else {
    tellWebhook(context, webhook);
    terminal.out(`\nIts secret, which is not shown again:\n${secret}`);
  }
  return exitCode.ok;
}

export async function changeWebhook(context: Context): Promise<ExitCode> {
  const { options } = context;
  const [url, events] = [textOf(options, "webhookUrl"), eventList(options)];
  const isOfAll = options["allProjects"] === true;
  if (isOfAll && options["project"] !== undefined)
    throw new UsageError("--project and --all-projects exclude each other");
  const body = {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...settingsOf(context),
    ...(isOfAll && { project_id: null }),
  } as ChangeBody;
  if (Object.keys(body).length === 0) throw new UsageError("what is to be changed? --help shows what can be");
  return change(context, body);
}

export async function enableWebhook(context: Context): Promise<ExitCode> {
  const code = await change(context, { status: "active" });
  tellWhoSends(context);
  return code;
}

export function disableWebhook(context: Context): Promise<ExitCode> {
  return change(context, { status: "disabled" });
}

export async function deleteWebhook({ client, terminal, options, signal, argument }: Context): Promise<ExitCode> {
  await client.call("deleteWebhook", { params: { webhook_id: argument }, signal });
  terminal.out(options.json ? toJson({ webhook_id: argument, deleted: true }) : `${argument} is deleted`);
  return exitCode.ok;
}

async function change(context: Context, body: ChangeBody): Promise<ExitCode> {
  const { client, argument, signal } = context;
  tellWebhook(context, await client.call("changeWebhook", { params: { webhook_id: argument }, body, signal }));
  return exitCode.ok;
}

function settingsOf({ options }: Context) {
  const [project, ordering] = [textOf(options, "project"), textOf(options, "ordering")];
  const description = textOf(options, "description");
  return {
    ...(project !== undefined && { project_id: project }),
    ...(ordering !== undefined && { ordering }),
    ...(description !== undefined && { description }),
  };
}
