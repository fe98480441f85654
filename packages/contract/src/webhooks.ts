import { Delivery } from "./deliveries.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { type Static, Type } from "./schema.ts";
import { TeamName } from "./team-name.ts";
import { Events, manage, ProjectId, webhookParams } from "./webhook-fields.ts";

const statuses = ["active", "parked", "disabled"] as const;

export type WebhookStatus = (typeof statuses)[number];

const orderings = ["none", "project"] as const;

export type WebhookOrdering = (typeof orderings)[number];

const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: "The https address that receives the events. It must be public.",
  examples: ["https://hooks.example.com/slipway"],
});

const Secret = Type.String({
  minLength: 16,
  maxLength: 200,
  description:
    "The secret that signs the bodies, at least 16 characters. For the `webhook-signature` header, a secret of the form `whsec_<base64>` is decoded.",
  examples: ["whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x"],
});

const Ordering = Type.Enum(orderings, {
  description:
    "`project`: the service sends an event only after the previous event of the same project was delivered or failed.",
});

const Description = Type.String({
  maxLength: 500,
  pattern: "^[^\\p{Cc}]*$",
  description: "The webhook's purpose.",
  examples: ["Notifies the chat room"],
});

const CreateWebhook = Type.Object(
  {
    url: Url,
    events: Events,
    secret: Secret,
    project_id: Type.Optional(ProjectId),
    team: Type.Optional(TeamName("The team whose projects the webhook tells of. Its members manage it.")),
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
        description: "Only events of this project. Null for all projects.",
        examples: ["proj_01kaw3v9t2h5m8q1x7zc"],
      }),
    ),
    ordering: Type.Optional(Ordering),
    description: Type.Optional(Description),
    status: Type.Optional(
      Type.Enum(["active", "disabled"], {
        description: "`active` also ends a pause after failures. Deliveries continue where they stopped.",
      }),
    ),
  },
  { additionalProperties: false, description: "The fields to change. Absent fields stay as they are." },
);

export const Webhook = Type.Object(
  {
    webhook_id: Id("webhook", "The webhook's id."),
    url: Type.String({ description: "The address that receives the events." }),
    events: Type.Array(Type.String(), { description: "The events it receives. `*` means all." }),
    project_id: StringOrNull("Only events of this project. Null for all projects the owner may read."),
    ordering: Ordering,
    description: Type.String({ description: "The webhook's purpose." }),
    status: Type.Enum(statuses, {
      description:
        "`parked`: the receiver keeps failing, so the service waits until `parked_until`; no event is lost. `disabled`: the service sends nothing until the webhook is set to `active`.",
    }),
    parked_until: OptionalTimestamp("When the service tries a parked webhook again."),
    disabled_reason: StringOrNull("Why the webhook is disabled."),
    failing_since: OptionalTimestamp(
      "The time since which every delivery has failed. Null if the last delivery succeeded.",
    ),
    pending: Type.Integer({ description: "The number of waiting deliveries. The event log may contain more." }),
    owner_id: Id("user", "The owner's id."),
    team_id: StringOrNull("The team whose projects it tells of. Null: those that its owner may read."),
    old_secret_until: OptionalTimestamp("Until when the old secret also signs deliveries."),
    created_at: Timestamp("When the webhook was registered."),
    updated_at: Timestamp("When the webhook last changed."),
  },
  { description: "A webhook, without its secret." },
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
        description: "How long the old secret also signs the header.",
      }),
    ),
  },
  { additionalProperties: false, description: "The new secret. The service generates one if it is absent." },
);

export const RotatedSecret = Type.Object(
  {
    webhook_id: Id("webhook", "The webhook's id."),
    secret: StringOrNull("The generated secret; it is shown only once. Null if you supplied the secret."),
    old_secret_until: Timestamp("Until when the old secret also signs the header."),
  },
  { description: "The secret was rotated." },
);

export type RotatedSecret = Static<typeof RotatedSecret>;

/** Webhooks: registration, changes and tests. */
export const webhookEndpoints = {
  createWebhook: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/webhooks",
    summary: "Register a webhook",
    description: "Also requires the scope `projects:read`. The webhook receives every event from now on.",
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
    isVersioned: true,
    problems: [],
  }),
  readWebhook: endpoint({
    ...manage,
    method: "GET",
    path: "/api/v1/webhooks/{webhook_id}",
    summary: "Read a webhook",
    params: webhookParams,
    success: [{ status: 200, description: "The webhook.", schema: Webhook }],
    isVersioned: true,
    problems: ["not_found"],
  }),
  changeWebhook: endpoint({
    ...manage,
    method: "PATCH",
    path: "/api/v1/webhooks/{webhook_id}",
    summary: "Change, disable or reactivate a webhook",
    params: webhookParams,
    body: ChangeWebhook,
    success: [{ status: 200, description: "The webhook.", schema: Webhook }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  deleteWebhook: endpoint({
    ...manage,
    method: "DELETE",
    path: "/api/v1/webhooks/{webhook_id}",
    summary: "Delete a webhook and its waiting deliveries",
    params: webhookParams,
    success: [{ status: 204, description: "The webhook was deleted." }],
    problems: ["not_found"],
  }),
  testWebhook: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/webhooks/{webhook_id}/test",
    summary: "Test a webhook: send it a `webhook.test` event",
    description: "Returns after the first attempt. Works for disabled webhooks, too.",
    params: webhookParams,
    success: [{ status: 200, description: "The delivery.", schema: Delivery }],
    problems: ["not_found"],
  }),
  rotateWebhookSecret: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/webhooks/{webhook_id}/rotate-secret",
    summary: "Replace a webhook's secret; both secrets sign the header for a while",
    params: webhookParams,
    body: RotateSecret,
    success: [{ status: 200, description: "The secret was rotated.", schema: RotatedSecret }],
    problems: ["not_found", "invalid_body"],
    answersSecret: true,
  }),
} as const;
