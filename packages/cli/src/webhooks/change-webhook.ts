import type { CallOptions } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { adviseToServe } from "../connection/run-on-service.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { toJson } from "../output/to-json.ts";
import { eventList } from "./event-list.ts";
import { newSecret, readSecret } from "./secret.ts";
import { printWebhook } from "./show-webhook.ts";

type CreateBody = CallOptions<"createWebhook">["body"];
type ChangeBody = CallOptions<"changeWebhook">["body"];

export async function createWebhook(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const [url = ""] = context.args;
  const given = await readSecret(terminal, options);
  const secret = given ?? newSecret();
  // Unchecked: the service knows which values are valid, and refuses the others.
  const team = textOf(options, "team");
  const own = { ...settingsOf(context), ...(team !== undefined && { team }) };
  const body = { url, events: eventList(options), secret, ...own } as CreateBody;
  const webhook = await client.call("createWebhook", { body, signal });
  // The service never returns a secret: a generated one is lost unless it is printed here.
  if (given === undefined && options.json) terminal.out(toJson({ ...webhook, secret }));
  else printWebhook(context, webhook);
  if (given === undefined && !options.json) terminal.out(`\nThe secret, shown only once:\n${secret}`);
  return exitCode.ok;
}

export async function changeWebhook(context: ServiceContext): Promise<ExitCode> {
  const { options } = context;
  const [url, events] = [textOf(options, "webhookUrl"), eventList(options)];
  const isForAllProjects = options["allProjects"] === true;
  if (isForAllProjects && options["project"] !== undefined)
    throw new UsageError("--project and --all-projects exclude each other");
  const body = {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...settingsOf(context),
    ...(isForAllProjects && { project_id: null }),
  } as ChangeBody;
  if (Object.keys(body).length === 0) throw new UsageError("give at least one setting to change; --help lists them");
  return change(context, body);
}

export async function enableWebhook(context: ServiceContext): Promise<ExitCode> {
  const code = await change(context, { status: "active" });
  adviseToServe(context, "send deliveries");
  return code;
}

export function disableWebhook(context: ServiceContext): Promise<ExitCode> {
  return change(context, { status: "disabled" });
}

export async function deleteWebhook(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const [webhook_id = ""] = context.args;
  await client.call("deleteWebhook", { params: { webhook_id }, signal });
  print(context, { webhook_id, deleted: true }, () => `${webhook_id} is deleted`);
  return exitCode.ok;
}

async function change(context: ServiceContext, body: ChangeBody): Promise<ExitCode> {
  const { client, signal } = context;
  const [webhook_id = ""] = context.args;
  printWebhook(context, await client.call("changeWebhook", { params: { webhook_id }, body, signal }));
  return exitCode.ok;
}

function settingsOf({ options }: ServiceContext) {
  const [project, ordering] = [textOf(options, "project"), textOf(options, "ordering")];
  const description = textOf(options, "description");
  return {
    ...(project !== undefined && { project_id: project }),
    ...(ordering !== undefined && { ordering }),
    ...(description !== undefined && { description }),
  };
}
