import { type Static, Type } from "typebox";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { IntegerOrNull, StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { webhookEventNames } from "./webhook-events.ts";
import { Events, Headers, manage, ofProject, ProjectId, webhookParams } from "./webhook-fields.ts";

/** How many deliveries one replay may begin. */
export const mostReplayed = 10_000;

const deliveryStatuses = {
  pending: "It is yet to arrive.",
  delivered: "The receiver answered with a 2xx.",
  failed: "It was given up: every attempt failed, or the receiver said that it is gone.",
  withheld: "It was not sent: the webhook's owner may no longer read the project, or the project is gone.",
} as const;

export type DeliveryStatus = keyof typeof deliveryStatuses;

export const deliveryStatusNames = Object.keys(deliveryStatuses) as DeliveryStatus[];

const DeliveryAttempt = Type.Object(
  {
    number: Type.Integer({ description: "As in the header `webhook-attempt`." }),
    at: Timestamp("When it began."),
    duration_ms: Type.Integer({ description: "Until the answer was read, or nothing more was waited for." }),
    connect_ms: IntegerOrNull("Until there was a connection; null: one was open already, or none came about."),
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
    error: StringOrNull("What went wrong, in words."),
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
    sequence: IntegerOrNull(
      "As in the header `webhook-sequence`: gapless from 1 for each project and webhook; null: it was not part of the sequence.",
    ),
    status: Type.Enum(deliveryStatusNames, { description: "How it stands." }),
    reason: StringOrNull("Why it failed or was withheld."),
    attempt_count: Type.Integer({ description: "How often it was tried." }),
    next_attempt_at: OptionalTimestamp("When it is tried next; null: never again."),
    created_at: Timestamp("When it was put on its way."),
    delivered_at: OptionalTimestamp("When it arrived."),
    attempts: Type.Array(DeliveryAttempt, { description: "The last 20 attempts, in order." }),
  },
  { description: "An event on its way to a webhook, and how that went." },
);

export type Delivery = Static<typeof Delivery>;

const DeliveryPage = Page("deliveries", Delivery, "Deliveries, newest first.");

const ReplayDeliveries = Type.Object(
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
        sequence: IntegerOrNull("Its `webhook-sequence`; null: it has none."),
        timestamp: Timestamp("When it happened."),
      }),
      { description: "The first ten." },
    ),
  },
  { description: "What is sent again." },
);

export type ReplayReport = Static<typeof ReplayReport>;

const deliveryParams = Type.Object({ delivery_id: Id("delivery", "The delivery's id.") });

/** Looking at what webhooks were sent, and sending it again. */
export const deliveryEndpoints = {
  listDeliveries: endpoint({
    ...manage,
    method: "GET",
    path: "/api/v1/webhooks/{webhook_id}/deliveries",
    summary: "List what a webhook was sent, newest first, with every attempt",
    params: webhookParams,
    query: query({
      ...pageQuery,
      status: Type.Optional(Type.Enum(deliveryStatusNames, { description: "Only those that stand so." })),
      event: Type.Optional(Type.Enum(webhookEventNames, { description: "Only this event." })),
      project_id: ofProject,
      sequence_from: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          examples: [7],
          description: "From this sequence on.",
        }),
      ),
      sequence_to: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          examples: [7],
          description: "Up to this sequence.",
        }),
      ),
    }),
    success: [{ status: 200, description: "A page of deliveries.", schema: DeliveryPage }],
    problems: ["not_found"],
  }),
  replayDeliveries: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/webhooks/{webhook_id}/replay",
    summary: "Send a webhook events again, or such as were written before it was there",
    description:
      "Events that it was sent before come with the same `webhook-id` and `webhook-sequence`. At most 10,000 at a time.",
    params: webhookParams,
    body: ReplayDeliveries,
    success: [
      { status: 202, description: "They are on their way.", schema: ReplayReport },
      { status: 200, description: "What would be sent, with `dry_run`.", schema: ReplayReport },
    ],
    problems: ["not_found", "invalid_body"],
  }),
  readDelivery: endpoint({
    ...manage,
    method: "GET",
    path: "/api/v1/deliveries/{delivery_id}",
    summary: "Read a delivery, with every attempt",
    params: deliveryParams,
    success: [{ status: 200, description: "The delivery.", schema: Delivery }],
    problems: ["not_found"],
  }),
  redeliver: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/deliveries/{delivery_id}/redeliver",
    summary: "Send a delivery again, now",
    params: deliveryParams,
    success: [{ status: 202, description: "It is on its way.", schema: Delivery }],
    problems: ["not_found", "conflict"],
  }),
} as const;
