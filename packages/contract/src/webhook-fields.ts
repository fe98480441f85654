import { withScope } from "./access.ts";
import { Id } from "./ids.ts";
import { Type } from "./schema.ts";
import { allEvents, webhookEventNames } from "./webhook-events.ts";

export const Events = Type.Array(Type.Enum([allEvents, ...webhookEventNames]), {
  minItems: 1,
  maxItems: 50,
  description: "The events to receive. `*` means all.",
  examples: [["project.created", "project.failed"]],
});

export const ProjectId = Type.String({
  maxLength: 100,
  description: "Only events of this project.",
  examples: ["proj_01kaw3v9t2h5m8q1x7zc"],
});

export const Headers = Type.Record(Type.String());

export const ofProject = Type.Optional(
  Type.String({
    maxLength: 100,
    description: "Only deliveries of this project.",
    examples: ["proj_01kaw3v9t2h5m8q1x7zc"],
  }),
);

export const webhookParams = Type.Object({ webhook_id: Id("webhook", "The webhook's id.") });

/** Also requires `projects:read`: a webhook receives only what its owner may read. */
export const manage = { tag: "Webhooks", access: withScope("webhooks:manage") } as const;
