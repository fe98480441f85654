import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { IntegerOrNull, StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { type Static, Type } from "./schema.ts";
import { webhookEventNames } from "./webhook-events.ts";
import { Events, Headers, manage, ofProject, ProjectId, webhookParams } from "./webhook-fields.ts";

/** The most deliveries that one replay can start. */
export const maxReplayed = 10_000;

const deliveryStatuses = {
  pending: "Not delivered yet.",
  delivered: "The receiver answered with a 2xx.",
  failed: "Every attempt failed, or the receiver answered 410 Gone.",
  withheld: "Not sent: the webhook's owner can no longer read the project, or the project was deleted.",
} as const;

export type DeliveryStatus = keyof typeof deliveryStatuses;

export const deliveryStatusNames = Object.keys(deliveryStatuses) as DeliveryStatus[];

const DeliveryAttempt = Type.Object(
  {
    number: Type.Integer({ description: "The value of the `webhook-attempt` header." }),
    at: Timestamp("When the attempt started."),
    duration_ms: Type.Integer({ description: "The time until the service had read the response or gave up waiting." }),
    connect_ms: IntegerOrNull("The time to connect. Null if a connection was reused or none was established."),
    request: Type.Object({
      url: Type.String(),
      headers: Headers,
      body_bytes: Type.Integer(),
      body_sha256: Type.String({ description: "The digest of the body as sent, in hex." }),
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
      { description: "The receiver's response. Null if there was none." },
    ),
    fault: Type.Union([Type.Enum(["receiver", "network", "us"]), Type.Null()], {
      description: "The cause of a failure. Null if the delivery succeeded.",
    }),
    error: StringOrNull("The error message."),
  },
  { description: "One delivery attempt." },
);

export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const Delivery = Type.Object(
  {
    delivery_id: Id("delivery", "The delivery's id."),
    webhook_id: Id("webhook", "The webhook's id."),
    event_id: Id("event", "The event's id: the value of the `webhook-id` header."),
    event: Type.Enum(webhookEventNames, { description: "The event's name." }),
    project_id: Type.String({ description: "The event's project. Empty for `webhook.test`." }),
    sequence: IntegerOrNull(
      "The value of the `webhook-sequence` header: it counts from 1 without gaps for each project and webhook. Null if the delivery is not part of the sequence.",
    ),
    status: Type.Enum(deliveryStatusNames, { description: "The delivery's status." }),
    reason: StringOrNull("Why the delivery failed or was withheld."),
    attempt_count: Type.Integer({ description: "The number of attempts." }),
    next_attempt_at: OptionalTimestamp("When the next attempt is due. Null if there is none."),
    created_at: Timestamp("When the delivery was created."),
    delivered_at: OptionalTimestamp("When the receiver accepted it."),
    attempts: Type.Array(DeliveryAttempt, { description: "The last 20 attempts, in order." }),
  },
  { description: "The delivery of an event to a webhook." },
);

export type Delivery = Static<typeof Delivery>;

const DeliveryPage = Page("deliveries", Delivery, "Deliveries, newest first.");

const ReplayDeliveries = Type.Object(
  {
    since: Type.Optional(Timestamp("Events at or after this time.")),
    until: Type.Optional(Timestamp("Events before this time.")),
    events: Type.Optional(Events),
    project_id: Type.Optional(ProjectId),
    sequence_from: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        examples: [7],
        description: "The first `webhook-sequence` to send. Requires `project_id`.",
      }),
    ),
    sequence_to: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        examples: [9],
        description: "The last `webhook-sequence` to send. Requires `project_id`.",
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: "Send nothing; return what would be sent." })),
  },
  {
    additionalProperties: false,
    description: "The events to send again: by time, or by a range of a project's sequence.",
  },
);

export const ReplayReport = Type.Object(
  {
    webhook_id: Id("webhook", "The webhook's id."),
    dry_run: Type.Boolean(),
    count: Type.Integer({ description: "How many deliveries were created, or would be." }),
    first: Type.Array(
      Type.Object({
        event_id: Id("event", "The event's id."),
        event: Type.Enum(webhookEventNames),
        project_id: Type.String(),
        sequence: IntegerOrNull("Its `webhook-sequence`. Null if it has none."),
        timestamp: Timestamp("When it happened."),
      }),
      { description: "The first ten deliveries." },
    ),
  },
  { description: "The result of a replay." },
);

export type ReplayReport = Static<typeof ReplayReport>;

const deliveryParams = Type.Object({ delivery_id: Id("delivery", "The delivery's id.") });

/** Deliveries: what webhooks were sent, and sending it again. */
export const deliveryEndpoints = {
  listDeliveries: endpoint({
    ...manage,
    method: "GET",
    path: "/api/v1/webhooks/{webhook_id}/deliveries",
    summary: "List a webhook's deliveries, newest first, with their attempts, or stream their changes",
    description:
      "With `Accept: text/event-stream`, streams `changed` at first and whenever deliveries of the webhook were made, attempted or sent again: read the list then. The stream has no history.",
    params: webhookParams,
    query: query({
      ...pageQuery,
      status: Type.Optional(Type.Enum(deliveryStatusNames, { description: "Only deliveries with this status." })),
      event: Type.Optional(Type.Enum(webhookEventNames, { description: "Only deliveries of this event." })),
      project_id: ofProject,
      sequence_from: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          examples: [7],
          description: "The first sequence to list.",
        }),
      ),
      sequence_to: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          examples: [7],
          description: "The last sequence to list.",
        }),
      ),
    }),
    success: [
      { status: 200, description: "A page of deliveries.", schema: DeliveryPage, mediaTypes: ["text/event-stream"] },
    ],
    problems: ["not_found"],
  }),
  replayDeliveries: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/webhooks/{webhook_id}/replay",
    summary: "Send events to a webhook again, or for the first time",
    description:
      "Events that the webhook already received keep their `webhook-id` and `webhook-sequence`. Events older than the webhook can be sent, too. One request sends at most 10,000 events.",
    params: webhookParams,
    body: ReplayDeliveries,
    success: [
      { status: 202, description: "The deliveries were created.", schema: ReplayReport },
      { status: 200, description: "What would be sent (with `dry_run`).", schema: ReplayReport },
    ],
    problems: ["not_found", "invalid_body"],
  }),
  readDelivery: endpoint({
    ...manage,
    method: "GET",
    path: "/api/v1/deliveries/{delivery_id}",
    summary: "Read a delivery with its attempts",
    params: deliveryParams,
    success: [{ status: 200, description: "The delivery.", schema: Delivery }],
    isVersioned: true,
    problems: ["not_found"],
  }),
  redeliver: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/deliveries/{delivery_id}/redeliver",
    summary: "Send a delivery again, now",
    params: deliveryParams,
    success: [{ status: 202, description: "The delivery is queued.", schema: Delivery }],
    problems: ["not_found", "conflict"],
  }),
} as const;
