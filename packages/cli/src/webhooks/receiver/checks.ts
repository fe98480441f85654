import { signWebhook, writeWebhookBody } from "@slipway/client";
import { exampleEvents } from "@slipway/contract";
import { newSecret } from "../secret.ts";
import type { Posting } from "./post.ts";

/** What a right receiver does with what it is sent. */
export type Expected = "accepted" | "refused" | "either";

export interface Check {
  readonly sent: string;
  readonly expected: Expected;
  /** What a person has to look at themselves. */
  readonly note?: string;
  /** What is posted, one after the other. */
  postings(bench: Bench): Promise<readonly Posting[]>;
}

/** What deliveries are made with. */
export interface Bench {
  readonly secret: string;
  now(): Date;
  newId(): string;
}

const awayMs = 10 * 60_000;
const largeCharacters = 200 * 1024;

/**
 * What receivers get wrong, by name. Each delivery is a `webhook.test`, which no receiver acts upon, or an event that nobody knows; each that is
 * to be refused has one thing wrong with it, so that it is refused for that.
 */
export const checks: Readonly<Record<string, Check>> = {
  good_delivery: accepted("a delivery as it should be", (bench) => [deliver(bench)]),
  wrong_signature: refused("signed with another secret", (bench) => [
    deliver(bench, { headerSecrets: [newSecret()], bodySecret: newSecret() }),
  ]),
  changed_body: refused("the body was changed after it was signed", (bench) => [
    change(deliver(bench), ({ headers, body }) => ({ headers, body: body.replace("webhook.test", "webhook.rest") })),
  ]),
  changed_id: refused("webhook-id was changed after it was signed", (bench) => [
    withHeader(deliver(bench), "webhook-id", bench.newId()),
  ]),
  changed_timestamp: refused("an old delivery with the time of now", (bench) => [
    withHeader(deliver(bench, { at: moved(bench, -awayMs) }), "webhook-timestamp", seconds(bench.now())),
  ]),
  no_signature: refused("without webhook-signature", (bench) => [withHeader(deliver(bench), "webhook-signature")]),
  no_id: refused("without webhook-id", (bench) => [withHeader(deliver(bench), "webhook-id")]),
  no_timestamp: refused("without webhook-timestamp", (bench) => [withHeader(deliver(bench), "webhook-timestamp")]),
  empty_signature: refused("webhook-signature: v1,", (bench) => [
    withHeader(deliver(bench), "webhook-signature", "v1,"),
  ]),
  malformed_signature: refused("a webhook-signature that is no base64", (bench) => [
    withHeader(deliver(bench), "webhook-signature", "v1,%%%"),
  ]),
  malformed_timestamp: refused("a webhook-timestamp that is no number, signed", (bench) => [
    deliver(bench, { at: "soon" }),
  ]),
  stale_timestamp: refused("10 minutes old, and signed so", (bench) => [deliver(bench, { at: moved(bench, -awayMs) })]),
  future_timestamp: refused("from in 10 minutes, and signed so", (bench) => [
    deliver(bench, { at: moved(bench, awayMs) }),
  ]),
  only_unknown_version: refused("a right signature, called v2", (bench) => [
    change(deliver(bench), (posting) => renamed(posting, (signature) => signature.replace("v1,", "v2,"))),
  ]),
  unknown_version_beside: accepted("a v2 signature beside the right v1", (bench) => [
    change(deliver(bench), (posting) => renamed(posting, (signature) => `v2,bm90IHlvdXJz ${signature}`)),
  ]),
  rotation_known_first: accepted("signed with your secret, and the one before it", (bench) => [
    deliver(bench, { headerSecrets: [bench.secret, newSecret()] }),
  ]),
  rotation_known_last: accepted("signed with the secret after yours, and yours", (bench) => [
    deliver(bench, { headerSecrets: [newSecret(), bench.secret], bodySecret: newSecret() }),
  ]),
  wrong_body_signature: {
    ...makeCheck("either", "a wrong signature in the body, a right header", (bench) => [
      deliver(bench, { bodySecret: newSecret() }),
    ]),
    note: "Either is right: the header covers the whole body. While a secret rotates, the body is signed with the new one only.",
  },
  duplicate: {
    ...accepted("the same delivery twice, as a second attempt", (bench) => {
      const id = bench.newId();
      return [deliver(bench, { id }), deliver(bench, { id, attempt: 2 })];
    }),
    note: "Both must be answered with 2xx, and only the first may have an effect: look whether it did.",
  },
  reordered: accepted("sequence 5 before sequence 4", (bench) => [
    deliver(bench, { sequence: 5 }),
    deliver(bench, { sequence: 4 }),
  ]),
  unknown_event: accepted("an event that nobody knows yet", (bench) => [
    deliver(bench, { event: "webhook.not_known_yet" }),
  ]),
  unknown_member: accepted("a member of data that nobody knows yet", (bench) => [
    deliver(bench, { data: { ...exampleEvents["webhook.test"].data, not_known_yet: [1, { a: null }] } }),
  ]),
  other_scripts: accepted("text of other scripts, and characters that need care", (bench) => [
    deliver(bench, { data: { webhook_id: "wh_test", message: '登录 ✓ 🚢 é e\u0301 \u2028 / <b>&amp;"\\' } }),
  ]),
  large_body: accepted("a body of 200 KB", (bench) => [
    deliver(bench, { data: { webhook_id: "wh_test", message: "large ".repeat(largeCharacters / 6) } }),
  ]),
  good_after_bad: accepted("a delivery as it should be, after all that", (bench) => [deliver(bench)]),
};

type Postings = (bench: Bench) => readonly Promise<Posting>[];

function makeCheck(expected: Expected, sent: string, postings: Postings): Check {
  return { expected, sent, postings: (bench) => Promise.all(postings(bench)) };
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

async function deliver(bench: Bench, delivery: Delivery = {}): Promise<Posting> {
  const { id = bench.newId(), at = bench.now(), event = "webhook.test", attempt = 1, sequence } = delivery;
  const { data = exampleEvents["webhook.test"].data, headerSecrets = [bench.secret] } = delivery;
  const { bodySecret = bench.secret } = delivery;
  const body = await writeWebhookBody(bodySecret, {
    event,
    timestamp: bench.now().toISOString(),
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

/** With another value; without one, the header is left out. */
function withHeader(posting: Promise<Posting>, name: string, value?: string): Promise<Posting> {
  return change(posting, ({ headers: { [name]: _, ...rest }, body }) => ({
    headers: value === undefined ? rest : { ...rest, [name]: value },
    body,
  }));
}

function moved(bench: Bench, ms: number): Date {
  return new Date(bench.now().getTime() + ms);
}

function seconds(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}
