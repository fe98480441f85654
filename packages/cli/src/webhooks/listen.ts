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
import { toJsonLine } from "../output/to-json.ts";
import { eventList } from "./event-list.ts";
import { forwardAddress } from "./forward-address.ts";
import { type Answer, type Posting, post } from "./receiver/post.ts";
import { readSecret } from "./secret.ts";

/** The result of handling a delivery. */
interface Handled {
  /** The event, or why it is not valid. */
  readonly verified: WebhookEvent | WebhookVerificationError;
  /** Null if it was not forwarded. */
  readonly forwarded: Answer | null;
}

/** Receives what a webhook would, verifies and prints it, and forwards it to a local receiver, until interrupted. */
export async function listen({ client, terminal, options, signal }: ServiceContext): Promise<ExitCode> {
  const [events, project] = [eventList(options), textOf(options, "project")];
  const print = printingOf(textOf(options, "print"));
  const receiver = forwardAddress(textOf(options, "forwardTo"));
  const secret = await readSecret(terminal, options);
  if (secret !== undefined) await requireUsable(secret, receiver);
  const query = {
    ...(events !== undefined && { events: events.join(",") }),
    ...(project !== undefined && { project_id: project }),
  };
  terminal.err(`Listening to ${client.url}. Press Ctrl-C to stop.`);
  let lastSecret = "";
  const onSecret = (ofStream: string) => {
    // A receiver without its own secret needs it. It is safe to print: it signs nothing but this stream.
    if (ofStream !== lastSecret && secret === undefined)
      terminal.err(`Deliveries are signed with ${printable(ofStream)}`);
    lastSecret = ofStream;
  };
  for await (const delivery of listenWebhooks(client, { query, signal, onSecret })) {
    const verified = await verify(delivery);
    const isValid = !(verified instanceof WebhookVerificationError);
    const posting = isValid && secret !== undefined ? await resign(delivery, verified, secret) : delivery;
    const forwarded = receiver === undefined || !isValid ? null : await post(receiver, posting, signal);
    if (options.json) terminal.out(toJsonLine(forMachines(delivery, { verified, forwarded })));
    else if (print === "body" && isValid) terminal.out(printableJson(delivery.body));
    else terminal.out(forPeople(terminal, delivery, { verified, forwarded }));
  }
  throw new Error("The stream ended unexpectedly.");
}

function printingOf(text = "line"): "line" | "body" {
  if (text !== "line" && text !== "body")
    throw new UsageError(`--print must be line or body, not '${printable(text)}'`);
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

async function requireUsable(secret: string, receiver: URL | undefined): Promise<void> {
  if (receiver === undefined) throw new UsageError("--secret requires --forward-to");
  try {
    await signWebhook(secret, { id: "", timestamp: 0, body: "" });
  } catch (error) {
    throw error instanceof WebhookVerificationError ? new UsageError(error.message) : error;
  }
}

/** The same delivery, signed with the receiver's own secret. */
async function resign({ headers }: ListenedDelivery, event: WebhookEvent, secret: string): Promise<Posting> {
  const body = await writeWebhookBody(secret, event);
  const [id = "", timestamp = ""] = [headers["webhook-id"], headers["webhook-timestamp"]];
  return { headers: { ...headers, ...(await signWebhook(secret, { id, timestamp, body })) }, body };
}

/** The same JSON with control characters escaped. */
function printableJson(body: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return body.replace(/[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, escaped);
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
  if (verified instanceof WebhookVerificationError) return `${id} ${colors.red(`INVALID: ${verified.message}`)}`;
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
