import {
  type ListenedDelivery,
  listenWebhooks,
  signWebhook,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
  writeWebhookBody,
} from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, UsageError } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import { eventList } from "./event-list.ts";
import { forwardingTo } from "./forward-address.ts";
import { type Answer, type Posting, post } from "./receiver/post.ts";
import { readSecret } from "./secret.ts";

/** What became of a delivery here. */
interface Handled {
  /** What it tells, or why it was found wrong. */
  readonly verified: WebhookEvent | WebhookVerificationError;
  /** Null: it is not passed on. */
  readonly forwarded: Answer | null;
}

/** Prints and verifies what a webhook would get, and passes it on to a receiver of this machine, until it is interrupted. */
export async function listen({ client, terminal, options, signal }: ServiceContext): Promise<ExitCode> {
  const [events, project] = [eventList(options), textOf(options, "project")];
  const print = printingOf(textOf(options, "print"));
  const receiver = forwardingTo(textOf(options, "forwardTo"));
  const secret = await readSecret(terminal, options);
  if (secret !== undefined) await refuseUnusable(secret, receiver);
  const query = {
    ...(events !== undefined && { events: events.join(",") }),
    ...(project !== undefined && { project_id: project }),
  };
  terminal.err(`Listening to ${client.url}. Ctrl-C ends it.`);
  let told = "";
  const onSecret = (ofStream: string) => {
    // A receiver has to know it, unless it has one of its own; it is worth nothing elsewhere.
    if (ofStream !== told && secret === undefined) terminal.err(`Deliveries are signed with ${printable(ofStream)}`);
    told = ofStream;
  };
  for await (const delivery of listenWebhooks(client, { query, signal, onSecret })) {
    const verified = await verify(delivery);
    const isRight = !(verified instanceof WebhookVerificationError);
    const posting = isRight && secret !== undefined ? await signedAnew(delivery, verified, secret) : delivery;
    const forwarded = receiver === undefined || !isRight ? null : await post(receiver, posting, signal);
    if (options.json) terminal.out(JSON.stringify(forMachines(delivery, { verified, forwarded })));
    else if (print === "body" && isRight) terminal.out(printableJson(delivery.body));
    else terminal.out(forPeople(terminal, delivery, { verified, forwarded }));
  }
  throw new Error("A stream does not end by itself.");
}

function printingOf(text = "line"): "line" | "body" {
  if (text !== "line" && text !== "body") throw new UsageError(`--print takes line or body, not '${printable(text)}'`);
  return text;
}

async function verify({ secret, headers, body }: ListenedDelivery): Promise<Handled["verified"]> {
  try {
    return await verifyWebhook(secret, headers, body);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error;
  }
}

async function refuseUnusable(secret: string, receiver: URL | undefined): Promise<void> {
  if (receiver === undefined)
    throw new UsageError("--secret is for what is passed on: name a receiver with --forward-to");
  try {
    await signWebhook(secret, { id: "", timestamp: 0, body: "" });
  } catch (error) {
    throw error instanceof WebhookVerificationError ? new UsageError(error.message) : error;
  }
}

/** The same delivery as a receiver that has a secret of its own would be posted it. */
async function signedAnew({ headers }: ListenedDelivery, event: WebhookEvent, secret: string): Promise<Posting> {
  const body = await writeWebhookBody(secret, event);
  const [id = "", timestamp = ""] = [headers["webhook-id"], headers["webhook-timestamp"]];
  return { headers: { ...headers, ...(await signWebhook(secret, { id, timestamp, body })) }, body };
}

/** The same JSON, without characters that a terminal would act on. */
function printableJson(body: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return body.replace(/[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, escaped);
}

function forMachines({ headers, body }: ListenedDelivery, { verified, forwarded }: Handled): object {
  const problem = verified instanceof WebhookVerificationError ? verified.message : null;
  return { headers, body, is_verified: problem === null, problem, forwarded: forwarded && answerFor(forwarded) };
}

function answerFor(answer: Answer): object {
  const { ms } = answer;
  return answer.is === "answer" ? { status: answer.status, ms } : { status: null, error: answer.why, ms };
}

function forPeople({ colors }: Terminal, { headers }: ListenedDelivery, { verified, forwarded }: Handled): string {
  const id = printable(headers["webhook-id"] ?? "");
  if (verified instanceof WebhookVerificationError) return `${id} ${colors.red(`WRONG: ${verified.message}`)}`;
  const { event, timestamp, project_id } = verified;
  const sequence = headers["webhook-sequence"];
  return [
    colors.dim(printable(timestamp).slice(11, 19)),
    printable(event),
    printable(project_id),
    sequence === undefined ? "" : `#${printable(sequence)}`,
    colors.dim(id),
    colors.green("verified"),
    forwarded === null ? "" : forwardedText(forwarded),
  ]
    .filter(Boolean)
    .join(" ");
}

function forwardedText(answer: Answer): string {
  return answer.is === "answer" ? `→ ${answer.status} in ${answer.ms} ms` : `→ no answer: ${printable(answer.why)}`;
}
