import { type Static, Type } from "typebox";
import { Delivery } from "./deliveries.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { Events, manage, ProjectId, webhookParams } from "./webhook-fields.ts";

const statuses = ["active", "parked", "disabled"] as const;

export type WebhookStatus = (typeof statuses)[number];

const orderings = ["none", "project"] as const;

export type WebhookOrdering = (typeof orderings)[number];

const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: "Where to post to: an https address that is reachable from everywhere.",
  examples: ["https://hooks.example.com/slipway"],
});

const Secret = Type.String({
  minLength: 16,
  maxLength: 200,
  description:
    "What bodies are signed with: 16 characters or more. A secret of the form `whsec_<base64>` is decoded for the `webhook-signature` header.",
  examples: ["whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x"],
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

const CreateWebhook = Type.Object(
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

const ChangeWebhook = Type.Object(
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
    project_id: StringOrNull("Only events of this project; null: of all that its owner may read."),
    ordering: Ordering,
    description: Type.String({ description: "What it is for." }),
    status: Type.Enum(statuses, {
      description:
        "`parked`: the receiver keeps failing and is left alone until `parked_until`; nothing is lost. `disabled`: nothing is sent until it is set active.",
    }),
    parked_until: OptionalTimestamp("When a parked webhook is tried again."),
    disabled_reason: StringOrNull("Why it is disabled."),
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

const WebhookPage = Page("webhooks", Webhook, "Webhooks, newest first.");

const RotateSecret = Type.Object(
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
    secret: StringOrNull("The new secret, if we made it: it is shown this once. Null: it is the one you gave."),
    old_secret_until: Timestamp("Until when the header is signed with the old secret, too."),
  },
  { description: "The secret was rotated." },
);

export type RotatedSecret = Static<typeof RotatedSecret>;

/** Registering webhooks, changing them, and trying them out. */
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
} as const;
