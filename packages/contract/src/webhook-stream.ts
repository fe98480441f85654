import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { type Static, Type } from "./schema.ts";
import { Headers, ofProject } from "./webhook-fields.ts";

const WebhookFrame = Type.Object(
  { headers: Headers, body: Type.String({ description: "The exact text a webhook would receive." }) },
  { description: "The request a webhook would receive. The stream sends it as `event: delivery`." },
);

export type WebhookFrame = Static<typeof WebhookFrame>;

export const WebhookFrames = Type.Object(
  {
    secret: Type.String({ description: "The secret that signed these deliveries." }),
    deliveries: Type.Array(WebhookFrame),
    last_event_id: Type.String({ description: "Pass it as `Last-Event-ID` to continue." }),
  },
  { description: "A batch of deliveries." },
);

export type WebhookFrames = Static<typeof WebhookFrames>;

/** The webhook stream: what a webhook would receive, without registering one. */
export const webhookStreamEndpoints = {
  streamWebhook: endpoint({
    method: "GET",
    tag: "Webhooks",
    access: withScope("projects:read"),
    path: "/api/v1/webhooks/stream",
    summary: "Stream events as a webhook would receive them",
    description:
      "With `Accept: text/event-stream`, returns a stream. Its first SSE event, `secret`, contains the stream's `secret`. Each `delivery` event contains the `headers` and the `body` exactly as a webhook would receive them, signed with that secret. The stream starts now, or after `Last-Event-ID`. As JSON, returns at most 100 deliveries since `Last-Event-ID`.",
    query: query({
      events: Type.Optional(
        Type.String({
          maxLength: 1000,
          description: "The events to receive, separated by commas. Defaults to all.",
          examples: ["project.created,project.failed"],
        }),
      ),
      project_id: ofProject,
    }),
    headers: {
      Accept: "`text/event-stream` returns a stream.",
      "Last-Event-ID": "The id of the last SSE event you received. The stream continues after it.",
    },
    success: [
      {
        status: 200,
        description: "The deliveries.",
        schema: WebhookFrames,
        mediaTypes: ["text/event-stream"],
      },
    ],
    problems: ["invalid_parameter"],
  }),
} as const;
