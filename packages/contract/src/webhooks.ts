import { type Static, Type } from "typebox";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { Page } from "./paging.ts";
import { webhookEventNames } from "./webhook-events.ts";

/** Stands for every event. */
export const allEvents = "*";

/** How many deliveries one replay may begin. */
export const maxReplayed = 10_000;

const statuses = ["active", "parked", "disabled"] as const;
export type WebhookStatus = (typeof statuses)[number];
const orderings = ["none", "project"] as const;
export type WebhookOrdering = (typeof orderings)[number];
const deliveryStatuses = {
  pending: "It is yet to arrive.",
  delivered: "The receiver answered with a 2xx.",
  failed: "It was given up: every attempt failed, or the receiver said that it is gone.",
  withheld: "It was not sent: the webhook's owner may no longer read the project, or the project is gone.",
} as const;
export type DeliveryStatus = keyof typeof deliveryStatuses;
export const deliveryStatusNames = Object.keys(deliveryStatuses) as DeliveryStatus[];

const OrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const CountOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: "Where to post to: an https address that is reachable from everywhere.",
  examples: ["https://hooks.example.com/slipway"],
});
const Events = Type.Array(Type.Enum([allEvents, ...webhookEventNames]), {
  minItems: 1,
  maxItems: 50,
  description: "Which events; `*` is all.",
  examples: [["project.created", "project.failed"]],
});
const Secret = Type.String({
  minLength: 16,
  maxLength: 200,
  description:
    "What bodies are signed with: 16 characters or more. A secret of the form `whsec_<base64>` is decoded for the `webhook-signature` header.",
  examples: ["whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x"],
});
const ProjectId = Type.String({
  maxLength: 100,
  description: "Only events of this project.",
  examples: ["proj_01kaw3v9t2h5m8q1x7zc"],
});
const Ordering = Type.Enum(orderings, {
  description:
    "`project`: an event is sent only once the one before it, of the same project, has arrived or is given up.",
});
const Description = Type.String({
  maxLength: 500,
  pattern: "^[^\\p{Cc}]*$",
  description: "What it is for.",
  examples: ["Tells the chat room"],
});

export const CreateWebhook = Type.Object(
  {
    url: Url,
    events: Events,
    secret: Secret,
    project_id: Type.Optional(ProjectId),
    ordering: Type.Optional(Ordering),
    description: Type.Optional(Description),
  },
  { additionalProperties: false, description: "The webhook to register." },
);

export const ChangeWebhook = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    project_id: Type.Optional(
      Type.Union([ProjectId, Type.Null()], {
        description: "Only events of this project; null: of every one.",
        examples: ["proj_01kaw3v9t2h5m8q1x7zc"],
      }),
    ),
    ordering: Type.Optional(Ordering),
    description: Type.Optional(Description),
    status: Type.Optional(
      Type.Enum(["active", "disabled"], {
        description: "`active` also ends a pause after failures; it goes on where it stood.",
      }),
    ),
  },
  { additionalProperties: false, description: "What to change; what is absent stays." },
);

export const Webhook = Type.Object(
  {
    webhook_id: Id("webhook", "The webhook's id."),
    url: Type.String({ description: "Where it posts to." }),
    events: Type.Array(Type.String(), { description: "Which events; `*` is all." }),
    project_id: OrNull("Only events of this project; null: of all that its owner may read."),
    ordering: Ordering,
    description: Type.String({ description: "What it is for." }),
    status: Type.Enum(statuses, {
      description:
        "`parked`: the receiver keeps failing and is left alone until `parked_until`; nothing is lost. `disabled`: nothing is sent until it is set active.",
    }),
    parked_until: OptionalTimestamp("When a parked webhook is tried again."),
    disabled_reason: OrNull("Why it is disabled."),
    failing_since: OptionalTimestamp("Since when nothing has arrived; null: the last delivery did."),
    pending: Type.Integer({ description: "How many deliveries wait; more may follow from the event log." }),
    owner_id: Id("user", "Whose it is."),
    old_secret_until: OptionalTimestamp("Until when bodies are signed with the old secret, too."),
    created_at: Timestamp("When it was registered."),
    updated_at: Timestamp("When it was changed last."),
  },
  { description: "A webhook. Its secret is never shown." },
);
export type Webhook = Static<typeof Webhook>;
export const WebhookPage = Page("webhooks", Webhook, "Webhooks, newest first.");

export const RotateSecret = Type.Object(
  {
    secret: Type.Optional(Secret),
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 24 * 3600,
        default: 24 * 3600,
        description: "How long the header is signed with the old secret, too.",
      }),
    ),
  },
  { additionalProperties: false, description: "The new secret; without one, it is made." },
);

export const RotatedSecret = Type.Object(
  {
    webhook_id: Id("webhook", "The webhook's id."),
    secret: OrNull("The new secret, if we made it: it is shown this once. Null: it is the one you gave."),
    old_secret_until: Timestamp("Until when the header is signed with the old secret, too."),
  },
  { description: "The secret was rotated." },
);
export type RotatedSecret = Static<typeof RotatedSecret>;

const Headers = Type.Record(Type.String(), Type.String());

const DeliveryAttempt = Type.Object(
  {
    number: Type.Integer({ description: "As in the header `webhook-attempt`." }),
    at: Timestamp("When it began."),
    duration_ms: Type.Integer({ description: "Until the answer was read, or nothing more was waited for." }),
    connect_ms: CountOrNull("Until there was a connection; null: one was open already, or none came about."),
    request: Type.Object({
      url: Type.String(),
      headers: Headers,
      body_bytes: Type.Integer(),
      body_sha256: Type.String({ description: "Of the body as it was sent, in hex." }),
    }),
    response: Type.Union(
      [
        Type.Object({
          status: Type.Integer(),
          headers: Headers,
          body: Type.String({ description: "The first 2 KiB, without control characters." }),
        }),
        Type.Null(),
      ],
      { description: "What the receiver answered; null: nothing." },
    ),
    fault: Type.Union([Type.Enum(["receiver", "network", "us"]), Type.Null()], {
      description: "Whose fault a failure is; null: it arrived.",
    }),
    error: OrNull("What went wrong, in words."),
  },
  { description: "One attempt to deliver." },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const Delivery = Type.Object(
  {
    delivery_id: Id("delivery", "The delivery's id."),
    webhook_id: Id("webhook", "The webhook it is for."),
    event_id: Id("event", "The event, as in the header `webhook-id`."),
    event: Type.Enum(webhookEventNames, { description: "The event's name." }),
    project_id: Type.String({ description: "The event's project; empty for `webhook.test`." }),
    sequence: CountOrNull(
      "As in the header `webhook-sequence`: gapless from 1 for each project and webhook; null: it was not part of the sequence.",
    ),
    status: Type.Enum(deliveryStatusNames, { description: "How it stands." }),
    reason: OrNull("Why it failed or was withheld."),
    attempt_count: Type.Integer({ description: "How often it was tried." }),
    next_attempt_at: OptionalTimestamp("When it is tried next; null: never again."),
    created_at: Timestamp("When it was put on its way."),
    delivered_at: OptionalTimestamp("When it arrived."),
    attempts: Type.Array(DeliveryAttempt, { description: "The last 20 attempts, in order." }),
  },
  { description: "An event on its way to a webhook, and how that went." },
);
export type Delivery = Static<typeof Delivery>;
export const DeliveryPage = Page("deliveries", Delivery, "Deliveries, newest first.");

export const ReplayDeliveries = Type.Object(
  {
    since: Type.Optional(Timestamp("Events from this time on.")),
    until: Type.Optional(Timestamp("Events before this time.")),
    events: Type.Optional(Events),
    project_id: Type.Optional(ProjectId),
    sequence_from: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        examples: [7],
        description: "From this `webhook-sequence` on; with `project_id`.",
      }),
    ),
    sequence_to: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        examples: [9],
        description: "Up to this `webhook-sequence`; with `project_id`.",
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: "Send nothing; answer what would be sent." })),
  },
  {
    additionalProperties: false,
    description: "Which events to send again: from a time on, or a range of a project's sequence.",
  },
);

export const ReplayReport = Type.Object(
  {
    webhook_id: Id("webhook", "The webhook's id."),
    dry_run: Type.Boolean(),
    count: Type.Integer({ description: "How many deliveries were put on their way, or would be." }),
    first: Type.Array(
      Type.Object({
        event_id: Id("event", "The event."),
        event: Type.Enum(webhookEventNames),
        project_id: Type.String(),
        sequence: CountOrNull("Its `webhook-sequence`; null: it has none."),
        timestamp: Timestamp("When it happened."),
      }),
      { description: "The first ten." },
    ),
  },
  { description: "What is sent again." },
);
export type ReplayReport = Static<typeof ReplayReport>;

const WebhookFrame = Type.Object(
  { headers: Headers, body: Type.String({ description: "The very text that would be posted." }) },
  { description: "What a webhook would be posted; the stream sends it as `event: delivery`." },
);
export type WebhookFrame = Static<typeof WebhookFrame>;

export const WebhookFrames = Type.Object(
  {
    secret: Type.String({ description: "What these were signed with." }),
    deliveries: Type.Array(WebhookFrame),
    last_event_id: Type.String({ description: "For `Last-Event-ID`, to go on after these." }),
  },
  { description: "Some deliveries." },
);
export type WebhookFrames = Static<typeof WebhookFrames>;
