import { type TProperties, Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id } from "./ids.ts";
import { pageQuery } from "./paging.ts";
import { webhookEventNames } from "./webhook-events.ts";
import {
  ChangeWebhook,
  CreateWebhook,
  Delivery,
  DeliveryPage,
  deliveryStatusNames,
  ReplayDeliveries,
  ReplayReport,
  RotatedSecret,
  RotateSecret,
  Webhook,
  WebhookFrames,
  WebhookPage,
} from "./webhooks.ts";

const webhookParams = Type.Object({ webhook_id: Id("webhook", "The webhook's id.") });
const deliveryParams = Type.Object({ delivery_id: Id("delivery", "The delivery's id.") });
const query = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
/** With `projects:read`, too: what a webhook gets is what its owner may read. */
const manage = { tag: "Webhooks", access: withScope("webhooks:manage") } as const;
const ofProject = Type.Optional(
  Type.String({ maxLength: 100, description: "Only of this project.", examples: ["proj_01kaw3v9t2h5m8q1x7zc"] }),
);

/** Registering webhooks, looking at what they were sent, and sending it again. */
export const webhookEndpoints = {
  createWebhook: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/webhooks",
    summary: "Register a webhook",
    description: "Needs the scope `projects:read`, too. It gets every event that is written from now on.",
    body: CreateWebhook,
    success: [{ status: 201, description: "The webhook.", schema: Webhook, headers: ["Location"] }],
    problems: ["invalid_body", "conflict"],
  }),
  listWebhooks: endpoint({
    ...manage,
    method: "GET",
    path: "/api/v1/webhooks",
    summary: "List webhooks, newest first",
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of webhooks.", schema: WebhookPage }],
    problems: [],
  }),
  streamWebhook: endpoint({
    method: "GET",
    tag: "Webhooks",
    access: withScope("projects:read"),
    path: "/api/v1/webhooks/stream",
    summary: "Get events as a webhook would, without one",
    description:
      "With `Accept: text/event-stream` a stream. Its first frame, `event: secret`, holds the `secret` of this stream; each `event: delivery` then holds the `headers` and the `body` exactly as they would be posted, signed with it. It begins now, or after `Last-Event-ID`. As JSON what has come since `Last-Event-ID`, at most 100.",
    query: query({
      events: Type.Optional(
        Type.String({
          maxLength: 1000,
          description: "Only these events, separated by commas; without it, all.",
          examples: ["project.created,project.failed"],
        }),
      ),
      project_id: ofProject,
    }),
    headers: {
      Accept: "`text/event-stream`: go on with what happens.",
      "Last-Event-ID": "The id of the last frame that you have; the stream goes on after it.",
    },
    success: [
      {
        status: 200,
        description: "Deliveries, as they come.",
        schema: WebhookFrames,
        mediaTypes: ["text/event-stream"],
      },
    ],
    problems: ["invalid_parameter"],
  }),
  readWebhook: endpoint({
    ...manage,
    method: "GET",
    path: "/api/v1/webhooks/{webhook_id}",
    summary: "Read a webhook",
    params: webhookParams,
    success: [{ status: 200, description: "The webhook.", schema: Webhook }],
    problems: ["not_found"],
  }),
  changeWebhook: endpoint({
    ...manage,
    method: "PATCH",
    path: "/api/v1/webhooks/{webhook_id}",
    summary: "Change a webhook, disable it, or set it going again",
    params: webhookParams,
    body: ChangeWebhook,
    success: [{ status: 200, description: "The webhook.", schema: Webhook }],
    problems: ["not_found", "invalid_body"],
  }),
  deleteWebhook: endpoint({
    ...manage,
    method: "DELETE",
    path: "/api/v1/webhooks/{webhook_id}",
    summary: "Delete a webhook, and what waits for it",
    params: webhookParams,
    success: [{ status: 204, description: "It is gone." }],
    problems: ["not_found"],
  }),
  testWebhook: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/webhooks/{webhook_id}/test",
    summary: "Try a webhook out: send it a `webhook.test`",
    description: "Answers once the first attempt is over. A disabled webhook can be tried, too.",
    params: webhookParams,
    success: [{ status: 200, description: "How it went.", schema: Delivery }],
    problems: ["not_found"],
  }),
  rotateWebhookSecret: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/webhooks/{webhook_id}/rotate-secret",
    summary: "Replace a webhook's secret; the header is signed with both for a while",
    params: webhookParams,
    body: RotateSecret,
    success: [{ status: 200, description: "The secret was rotated.", schema: RotatedSecret }],
    problems: ["not_found", "invalid_body"],
    answersSecret: true,
  }),
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
