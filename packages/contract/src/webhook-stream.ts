import { type Static, Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Headers, ofProject } from "./webhook-fields.ts";

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

/** What a webhook would be posted, without one. */
export const webhookStreamEndpoints = {
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
} as const;
