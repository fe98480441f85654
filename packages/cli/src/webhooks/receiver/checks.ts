import { signWebhook, writeWebhookBody } from "@slipway/client";
import { exampleEvents } from "@slipway/contract";
import { newSecret } from "../secret.ts";
import type { Posting } from "./post.ts";

/** What a correct receiver does with a delivery. */
export type Expected = "accepted" | "refused" | "either";

export interface Check {
  readonly sent: string;
  readonly expected: Expected;
  /** What the user has to check. */
  readonly note?: string;
  /** The requests, in order. */
  postings(sender: Sender): Promise<readonly Posting[]>;
}

/** What deliveries are created with. */
export interface Sender {
  readonly secret: string;
  now(): Date;
  newId(): string;
}

const skewMs = 10 * 60_000;
const largeLength = 200 * 1024;

/**
 * What receivers get wrong, by name. Each delivery is a `webhook.test`, which no receiver acts upon, or an unknown event.
 * Each one to be refused has exactly one defect, so that nothing else can be the reason.
 */
export const checks: Readonly<Record<string, Check>> = {
  good_delivery: accepted("a valid delivery", (sender) => [deliver(sender)]),
  wrong_signature: refused("signed with another secret", (sender) => [
    deliver(sender, { headerSecrets: [newSecret()], bodySecret: newSecret() }),
  ]),
  changed_body: refused("the body changed after signing", (sender) => [
    change(deliver(sender), ({ headers, body }) => ({ headers, body: body.replace("webhook.test", "webhook.rest") })),
  ]),
  changed_id: refused("webhook-id changed after signing", (sender) => [
    withHeader(deliver(sender), "webhook-id", sender.newId()),
  ]),
  changed_timestamp: refused("an old delivery with the current time", (sender) => [
    withHeader(deliver(sender, { at: moved(sender, -skewMs) }), "webhook-timestamp", seconds(sender.now())),
  ]),
  no_signature: refused("without webhook-signature", (sender) => [withHeader(deliver(sender), "webhook-signature")]),
  no_id: refused("without webhook-id", (sender) => [withHeader(deliver(sender), "webhook-id")]),
  no_timestamp: refused("without webhook-timestamp", (sender) => [withHeader(deliver(sender), "webhook-timestamp")]),
  empty_signature: refused("webhook-signature: v1,", (sender) => [
    withHeader(deliver(sender), "webhook-signature", "v1,"),
  ]),
  malformed_signature: refused("a webhook-signature that is not base64", (sender) => [
    withHeader(deliver(sender), "webhook-signature", "v1,%%%"),
  ]),
  malformed_timestamp: refused("a signed webhook-timestamp that is not a number", (sender) => [
    deliver(sender, { at: "soon" }),
  ]),
  stale_timestamp: refused("a signed timestamp 10 minutes ago", (sender) => [
    deliver(sender, { at: moved(sender, -skewMs) }),
  ]),
  future_timestamp: refused("a signed timestamp in 10 minutes", (sender) => [
    deliver(sender, { at: moved(sender, skewMs) }),
  ]),
  only_unknown_version: refused("a valid signature labelled v2", (sender) => [
    change(deliver(sender), (posting) => renamed(posting, (signature) => signature.replace("v1,", "v2,"))),
  ]),
  unknown_version_beside: accepted("a v2 signature before the valid v1", (sender) => [
    change(deliver(sender), (posting) => renamed(posting, (signature) => `v2,bm90IHlvdXJz ${signature}`)),
  ]),
  rotation_known_first: accepted("signed with your secret and an older one", (sender) => [
    deliver(sender, { headerSecrets: [sender.secret, newSecret()] }),
  ]),
  rotation_known_last: accepted("signed with a newer secret and yours", (sender) => [
    deliver(sender, { headerSecrets: [newSecret(), sender.secret], bodySecret: newSecret() }),
  ]),
  wrong_body_signature: {
    ...makeCheck("either", "an invalid signature in the body, a valid header", (sender) => [
      deliver(sender, { bodySecret: newSecret() }),
    ]),
    note: "Both answers are correct: the header covers the whole body. While a secret rotates, only the new one signs the body.",
  },
  duplicate: {
    ...accepted("the same delivery twice, as a second attempt", (sender) => {
      const id = sender.newId();
      return [deliver(sender, { id }), deliver(sender, { id, attempt: 2 })];
    }),
    note: "The receiver must answer both with 2xx, and only the first may have an effect: check that.",
  },
  reordered: accepted("sequence 5 before sequence 4", (sender) => [
    deliver(sender, { sequence: 5 }),
    deliver(sender, { sequence: 4 }),
  ]),
  unknown_event: accepted("an unknown event", (sender) => [deliver(sender, { event: "webhook.not_known_yet" })]),
  unknown_member: accepted("an unknown member in data", (sender) => [
    deliver(sender, { data: { ...exampleEvents["webhook.test"].data, not_known_yet: [1, { a: null }] } }),
  ]),
  other_scripts: accepted("text in other scripts, and special characters", (sender) => [
    deliver(sender, { data: { webhook_id: "wh_test", message: '登录 ✓ 🚢 é e\u0301 \u2028 / <b>&amp;"\\' } }),
  ]),
  large_body: accepted("a body of 200 KB", (sender) => [
    deliver(sender, { data: { webhook_id: "wh_test", message: "large ".repeat(largeLength / 6) } }),
  ]),
  good_after_bad: accepted("a valid delivery after all of that", (sender) => [deliver(sender)]),
};

type Postings = (sender: Sender) => readonly Promise<Posting>[];

function makeCheck(expected: Expected, sent: string, postings: Postings): Check {
  return { expected, sent, postings: (sender) => Promise.all(postings(sender)) };
}

function accepted(sent: string, postings: Postings): Check {
  return makeCheck("accepted", sent, postings);
}

function refused(sent: string, postings: Postings): Check {
  return makeCheck("refused", sent, postings);
}

interface Delivery {
  readonly id?: string;
  readonly at?: Date | "soon";
  readonly event?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly attempt?: number;
  readonly sequence?: number;
  readonly headerSecrets?: readonly string[];
  readonly bodySecret?: string;
}

async function deliver(sender: Sender, delivery: Delivery = {}): Promise<Posting> {
  const { id = sender.newId(), at = sender.now(), event = "webhook.test", attempt = 1, sequence } = delivery;
  const { data = exampleEvents["webhook.test"].data, headerSecrets = [sender.secret] } = delivery;
  const { bodySecret = sender.secret } = delivery;
  const body = await writeWebhookBody(bodySecret, {
    event,
    timestamp: sender.now().toISOString(),
    project_id: "",
    data,
  });
  const headers = {
    "content-type": "application/json",
    "user-agent": "slipway-webhooks-verify",
    "webhook-attempt": String(attempt),
    ...(sequence !== undefined && { "webhook-sequence": String(sequence) }),
    ...(await signWebhook(headerSecrets, { id, timestamp: at === "soon" ? at : seconds(at), body })),
  };
  return { headers, body };
}

async function change(posting: Promise<Posting>, how: (posting: Posting) => Posting): Promise<Posting> {
  return how(await posting);
}

function renamed({ headers, body }: Posting, how: (signature: string) => string): Posting {
  return { headers: { ...headers, "webhook-signature": how(headers["webhook-signature"] ?? "") }, body };
}

/** Changes a header, or removes it. */
function withHeader(posting: Promise<Posting>, name: string, value?: string): Promise<Posting> {
  return change(posting, ({ headers: { [name]: _, ...rest }, body }) => ({
    headers: value === undefined ? rest : { ...rest, [name]: value },
    body,
  }));
}

function moved(sender: Sender, ms: number): Date {
  return new Date(sender.now().getTime() + ms);
}

function seconds(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}
